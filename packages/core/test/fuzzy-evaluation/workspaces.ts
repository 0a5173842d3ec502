/** Names as in real workspaces, for entries in which the other names hardly matter. */
export const teams = [
  'Engineering',
  'Product Design',
  'Marketing',
  'Customer Success',
  'Data Science',
  'Legal',
  'People Operations',
] as const
export const states = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled', 'Duplicate', 'Triage', 'Blocked'] as const
export const labels = ['Bug', 'Feature', 'Improvement', 'Documentation', 'Performance', 'Security', 'Regression', 'Accessibility'] as const
export const people = ['Priya Raman', 'Tomasz Kowalski', 'Ana Sousa', 'Benjamin Okafor', 'Charlotte Dubois', 'Kenji Watanabe'] as const
export const projects = [
  'Mobile Checkout',
  'Billing Migration',
  'Search Relevance',
  'Onboarding Revamp',
  'Partner Portal',
  'Website Refresh',
] as const
export const sprints = ['Sprint 10', 'Sprint 11', 'Sprint 12', 'Sprint 13', 'Sprint 21'] as const
export const quarters = ['Q1 2026', 'Q2 2026', 'Q3 2026', 'Q4 2026', 'Q1 2027'] as const
