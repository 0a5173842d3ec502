import type { EvaluationCase } from './entry.ts'
import { labels, people, projects, quarters, sprints, states, teams } from './workspaces.ts'

/** One letter left out. */
export const deletions: readonly EvaluationCase[] = [
  { reference: 'Enginering', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'ngineering', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Engineerin', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Marketng', names: teams, expect: { first: 'Marketing', autoAccept: true } },
  { reference: 'Product Desgn', names: teams, expect: { first: 'Product Design', autoAccept: true } },
  { reference: 'Custmer Success', names: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { reference: 'Customer Sucess', names: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { reference: 'People Opertions', names: teams, expect: { first: 'People Operations', autoAccept: true } },
  { reference: 'In Progres', names: states, expect: { first: 'In Progress', autoAccept: true } },
  { reference: 'Duplcate', names: states, expect: { first: 'Duplicate', autoAccept: true } },
  { reference: 'Improvment', names: labels, expect: { first: 'Improvement', autoAccept: true } },
  { reference: 'Documentaton', names: labels, expect: { first: 'Documentation', autoAccept: true } },
  { reference: 'Accesibility', names: labels, expect: { first: 'Accessibility', autoAccept: true } },
  { reference: 'Bnjamin Okafor', names: people, expect: { first: 'Benjamin Okafor', autoAccept: true } },
  { reference: 'Charlote Dubois', names: people, expect: { first: 'Charlotte Dubois', autoAccept: true } },
  { reference: 'Serch Relevance', names: projects, expect: { first: 'Search Relevance', autoAccept: true } },
  { reference: 'Sprnt 12', names: sprints, expect: { first: 'Sprint 12', autoAccept: true } },
]

/** One letter too many. */
export const insertions: readonly EvaluationCase[] = [
  { reference: 'Engineeering', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Engineeringg', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Markketing', names: teams, expect: { first: 'Marketing', autoAccept: true } },
  { reference: 'Dataa Science', names: teams, expect: { first: 'Data Science', autoAccept: true } },
  { reference: 'Customer Successs', names: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { reference: 'Backllog', names: states, expect: { first: 'Backlog', autoAccept: true } },
  { reference: 'Cancelled', names: states, expect: { first: 'Canceled', autoAccept: true } },
  { reference: 'Blockedd', names: states, expect: { first: 'Blocked', autoAccept: true } },
  { reference: 'Inn Review', names: states, expect: { first: 'In Review', autoAccept: true } },
  { reference: 'Features', names: labels, expect: { first: 'Feature', autoAccept: true } },
  { reference: 'Perfformance', names: labels, expect: { first: 'Performance', autoAccept: true } },
  { reference: 'Regresssion', names: labels, expect: { first: 'Regression', autoAccept: true } },
  { reference: 'Anna Sousa', names: people, expect: { first: 'Ana Sousa', autoAccept: true } },
  { reference: 'Tomasz Kowalskii', names: people, expect: { first: 'Tomasz Kowalski', autoAccept: true } },
  { reference: 'Billling Migration', names: projects, expect: { first: 'Billing Migration', autoAccept: true } },
]

/** One letter for another. */
export const substitutions: readonly EvaluationCase[] = [
  { reference: 'Enginearing', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Angineering', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Marketimg', names: teams, expect: { first: 'Marketing', autoAccept: true } },
  { reference: 'Prodact Design', names: teams, expect: { first: 'Product Design', autoAccept: true } },
  { reference: 'Data Sciense', names: teams, expect: { first: 'Data Science', autoAccept: true } },
  { reference: 'Pepple Operations', names: teams, expect: { first: 'People Operations', autoAccept: true } },
  { reference: 'Bscklog', names: states, expect: { first: 'Backlog', autoAccept: true } },
  { reference: 'Im Progress', names: states, expect: { first: 'In Progress', autoAccept: true } },
  { reference: 'Dublicate', names: states, expect: { first: 'Duplicate', autoAccept: true } },
  { reference: 'Securitz', names: labels, expect: { first: 'Security', autoAccept: true } },
  { reference: 'Fearure', names: labels, expect: { first: 'Feature', autoAccept: true } },
  { reference: 'Documentarion', names: labels, expect: { first: 'Documentation', autoAccept: true } },
  { reference: 'Priya Ramam', names: people, expect: { first: 'Priya Raman', autoAccept: true } },
  { reference: 'Tomasz Kowalsky', names: people, expect: { first: 'Tomasz Kowalski', autoAccept: true } },
  { reference: 'Kenji Vatanabe', names: people, expect: { first: 'Kenji Watanabe', autoAccept: true } },
  { reference: 'Partner Portel', names: projects, expect: { first: 'Partner Portal', autoAccept: true } },
]

/** Two neighbouring letters swapped. */
export const transpositions: readonly EvaluationCase[] = [
  { reference: 'Engineernig', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'negineering', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Engineerign', names: teams, expect: { first: 'Engineering', autoAccept: true } },
  { reference: 'Markteing', names: teams, expect: { first: 'Marketing', autoAccept: true } },
  { reference: 'Product Deisgn', names: teams, expect: { first: 'Product Design', autoAccept: true } },
  { reference: 'Customer Scucess', names: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { reference: 'In Porgress', names: states, expect: { first: 'In Progress', autoAccept: true } },
  { reference: 'In Reveiw', names: states, expect: { first: 'In Review', autoAccept: true } },
  { reference: 'Baclkog', names: states, expect: { first: 'Backlog', autoAccept: true } },
  { reference: 'Secruity', names: labels, expect: { first: 'Security', autoAccept: true } },
  { reference: 'Feautre', names: labels, expect: { first: 'Feature', autoAccept: true } },
  { reference: 'Imporvement', names: labels, expect: { first: 'Improvement', autoAccept: true } },
  { reference: 'Kenji Watanaeb', names: people, expect: { first: 'Kenji Watanabe', autoAccept: true } },
  { reference: 'Mobiel Checkout', names: projects, expect: { first: 'Mobile Checkout', autoAccept: true } },
  { reference: 'Onbaording Revamp', names: projects, expect: { first: 'Onboarding Revamp', autoAccept: true } },
  { reference: 'Website Rerfesh', names: projects, expect: { first: 'Website Refresh', autoAccept: true } },
]

/** Several typos: the right name comes first, and is accepted only if each typo is in a different word. */
export const severalTypos: readonly EvaluationCase[] = [
  { reference: 'Custmer Sucess', names: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { reference: 'Prodct Desing', names: teams, expect: { first: 'Product Design', autoAccept: true } },
  { reference: 'Biling Migraton', names: projects, expect: { first: 'Billing Migration', autoAccept: true } },
  { reference: 'Enginring', names: teams, expect: { first: 'Engineering', autoAccept: false } },
  { reference: 'Enigneerign', names: teams, expect: { first: 'Engineering', autoAccept: false } },
  { reference: 'Enjinearing', names: teams, expect: { first: 'Engineering', autoAccept: false } },
  { reference: 'Documentashun', names: labels, expect: { first: 'Documentation', autoAccept: false } },
  { reference: 'Acessability', names: labels, expect: { first: 'Accessibility', autoAccept: false } },
  { reference: 'Preformence', names: labels, expect: { first: 'Performance', autoAccept: false } },
  { reference: 'Sharlotte Dubwa', names: people, expect: { first: 'Charlotte Dubois', autoAccept: false } },
  { reference: 'Thomas Kowalski', names: people, expect: { first: 'Tomasz Kowalski', autoAccept: false } },
  { reference: 'Cstomer Scces', names: teams, expect: { first: 'Customer Success', autoAccept: false } },
]

/** Names so short that a typo may as well be a different name. */
export const shortNames: readonly EvaluationCase[] = [
  { reference: 'Bugg', names: labels, expect: { first: 'Bug', autoAccept: false } },
  { reference: 'Bgu', names: labels, expect: { first: 'Bug', autoAccept: false } },
  { reference: 'Dnoe', names: states, expect: { first: 'Done', autoAccept: false } },
  { reference: 'Toodo', names: states, expect: { first: 'Todo', autoAccept: false } },
  { reference: 'Legl', names: teams, expect: { first: 'Legal', autoAccept: false } },
  { reference: 'Traige', names: states, expect: { first: 'Triage', autoAccept: false } },
  { reference: 'Maria', names: ['Mario', 'Peter'], expect: { first: 'Mario', autoAccept: false } },
  { reference: 'Sales', names: ['Scales', 'Finance'], expect: { first: 'Scales', autoAccept: false } },
  { reference: 'IOT', names: ['IOS', 'Web'], expect: { first: 'IOS', autoAccept: false } },
  { reference: 'Q1-2026', names: quarters, expect: { first: 'Q1 2026', autoAccept: false } },
]
