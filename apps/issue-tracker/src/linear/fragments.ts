/** The selections that several documents share; each stands for one record in `records.ts`. */
export const fragments: Readonly<Record<string, string>> = {
  Page: 'fragment Page on PageInfo { hasNextPage endCursor }',
  Person: 'fragment Person on User { id name displayName }',
  Member: 'fragment Member on User { id name displayName email active }',
  State: 'fragment State on WorkflowState { id name type position }',
  TeamRef: 'fragment TeamRef on Team { id key name }',
  ProjectRef: 'fragment ProjectRef on Project { id name slugId }',
  Cycle: 'fragment Cycle on Cycle { id number name startsAt endsAt isActive isNext isPast completedAt }',
  IssueRef: 'fragment IssueRef on Issue { id identifier title url state { id name type } }',
  Issue: `fragment Issue on Issue {
    id identifier title url priority estimate dueDate createdAt updatedAt archivedAt
    state { id name type } assignee { ...Person } team { ...TeamRef } project { ...ProjectRef }
    cycle { id number name } parent { id identifier } labels(first: 10) { nodes { id name } pageInfo { hasNextPage } }
  }`,
  Comment: `fragment Comment on Comment {
    id body url createdAt updatedAt editedAt parentId resolvedAt quotedText
    user { ...Person } botActor { name } externalUser { name }
  }`,
  ProjectRow: `fragment ProjectRow on Project {
    ...ProjectRef description url progress health startDate targetDate createdAt updatedAt archivedAt
    status { id name type } lead { ...Person } teams(first: 10) { nodes { ...TeamRef } pageInfo { hasNextPage } }
  }`,
  ProjectDetail: `fragment ProjectDetail on Project {
    ...ProjectRow content priority startedAt completedAt canceledAt creator { ...Person }
    projectUpdates(first: 5) { nodes { id body health createdAt url user { ...Person } } }
    projectMilestones(first: 50) @include(if: $milestones) { nodes { id name description targetDate status progress } pageInfo { hasNextPage } }
    members(first: 50) @include(if: $members) { nodes { ...Member } pageInfo { hasNextPage } }
    issues(first: 10, orderBy: updatedAt) @include(if: $issues) { nodes { ...IssueRef updatedAt priority assignee { ...Person } } pageInfo { hasNextPage } }
  }`,
  InitiativeRow: `fragment InitiativeRow on Initiative {
    id name slugId url description status health targetDate createdAt updatedAt archivedAt owner { ...Person }
  }`,
  NotificationRow: `fragment NotificationRow on Notification {
    __typename id type category createdAt updatedAt readAt snoozedUntilAt title subtitle url
    actor { ...Person } botActor { name } externalUserActor { name }
    ... on IssueNotification { issue { ...IssueRef } comment { id body url } }
    ... on ProjectNotification { project { ...ProjectRef } }
    ... on InitiativeNotification { initiative { id name slugId } }
  }`,
}
