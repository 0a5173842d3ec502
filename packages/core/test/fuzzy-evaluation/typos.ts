import type { Entry } from './entry.ts'
import { labels, people, projects, quarters, sprints, states, teams } from './workspaces.ts'

/** One letter left out. */
export const deletions: readonly Entry[] = [
  { wanted: 'Enginering', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'ngineering', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Engineerin', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Marketng', among: teams, expect: { first: 'Marketing', autoAccept: true } },
  { wanted: 'Product Desgn', among: teams, expect: { first: 'Product Design', autoAccept: true } },
  { wanted: 'Custmer Success', among: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { wanted: 'Customer Sucess', among: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { wanted: 'People Opertions', among: teams, expect: { first: 'People Operations', autoAccept: true } },
  { wanted: 'In Progres', among: states, expect: { first: 'In Progress', autoAccept: true } },
  { wanted: 'Duplcate', among: states, expect: { first: 'Duplicate', autoAccept: true } },
  { wanted: 'Improvment', among: labels, expect: { first: 'Improvement', autoAccept: true } },
  { wanted: 'Documentaton', among: labels, expect: { first: 'Documentation', autoAccept: true } },
  { wanted: 'Accesibility', among: labels, expect: { first: 'Accessibility', autoAccept: true } },
  { wanted: 'Bnjamin Okafor', among: people, expect: { first: 'Benjamin Okafor', autoAccept: true } },
  { wanted: 'Charlote Dubois', among: people, expect: { first: 'Charlotte Dubois', autoAccept: true } },
  { wanted: 'Serch Relevance', among: projects, expect: { first: 'Search Relevance', autoAccept: true } },
  { wanted: 'Sprnt 12', among: sprints, expect: { first: 'Sprint 12', autoAccept: true } },
]

/** One letter too many. */
export const insertions: readonly Entry[] = [
  { wanted: 'Engineeering', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Engineeringg', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Markketing', among: teams, expect: { first: 'Marketing', autoAccept: true } },
  { wanted: 'Dataa Science', among: teams, expect: { first: 'Data Science', autoAccept: true } },
  { wanted: 'Customer Successs', among: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { wanted: 'Backllog', among: states, expect: { first: 'Backlog', autoAccept: true } },
  { wanted: 'Cancelled', among: states, expect: { first: 'Canceled', autoAccept: true } },
  { wanted: 'Blockedd', among: states, expect: { first: 'Blocked', autoAccept: true } },
  { wanted: 'Inn Review', among: states, expect: { first: 'In Review', autoAccept: true } },
  { wanted: 'Features', among: labels, expect: { first: 'Feature', autoAccept: true } },
  { wanted: 'Perfformance', among: labels, expect: { first: 'Performance', autoAccept: true } },
  { wanted: 'Regresssion', among: labels, expect: { first: 'Regression', autoAccept: true } },
  { wanted: 'Anna Sousa', among: people, expect: { first: 'Ana Sousa', autoAccept: true } },
  { wanted: 'Tomasz Kowalskii', among: people, expect: { first: 'Tomasz Kowalski', autoAccept: true } },
  { wanted: 'Billling Migration', among: projects, expect: { first: 'Billing Migration', autoAccept: true } },
]

/** One letter for another. */
export const substitutions: readonly Entry[] = [
  { wanted: 'Enginearing', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Angineering', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Marketimg', among: teams, expect: { first: 'Marketing', autoAccept: true } },
  { wanted: 'Prodact Design', among: teams, expect: { first: 'Product Design', autoAccept: true } },
  { wanted: 'Data Sciense', among: teams, expect: { first: 'Data Science', autoAccept: true } },
  { wanted: 'Pepple Operations', among: teams, expect: { first: 'People Operations', autoAccept: true } },
  { wanted: 'Bscklog', among: states, expect: { first: 'Backlog', autoAccept: true } },
  { wanted: 'Im Progress', among: states, expect: { first: 'In Progress', autoAccept: true } },
  { wanted: 'Dublicate', among: states, expect: { first: 'Duplicate', autoAccept: true } },
  { wanted: 'Securitz', among: labels, expect: { first: 'Security', autoAccept: true } },
  { wanted: 'Fearure', among: labels, expect: { first: 'Feature', autoAccept: true } },
  { wanted: 'Documentarion', among: labels, expect: { first: 'Documentation', autoAccept: true } },
  { wanted: 'Priya Ramam', among: people, expect: { first: 'Priya Raman', autoAccept: true } },
  { wanted: 'Tomasz Kowalsky', among: people, expect: { first: 'Tomasz Kowalski', autoAccept: true } },
  { wanted: 'Kenji Vatanabe', among: people, expect: { first: 'Kenji Watanabe', autoAccept: true } },
  { wanted: 'Partner Portel', among: projects, expect: { first: 'Partner Portal', autoAccept: true } },
]

/** Two neighbouring letters swapped. */
export const transpositions: readonly Entry[] = [
  { wanted: 'Engineernig', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'negineering', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Engineerign', among: teams, expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Markteing', among: teams, expect: { first: 'Marketing', autoAccept: true } },
  { wanted: 'Product Deisgn', among: teams, expect: { first: 'Product Design', autoAccept: true } },
  { wanted: 'Customer Scucess', among: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { wanted: 'In Porgress', among: states, expect: { first: 'In Progress', autoAccept: true } },
  { wanted: 'In Reveiw', among: states, expect: { first: 'In Review', autoAccept: true } },
  { wanted: 'Baclkog', among: states, expect: { first: 'Backlog', autoAccept: true } },
  { wanted: 'Secruity', among: labels, expect: { first: 'Security', autoAccept: true } },
  { wanted: 'Feautre', among: labels, expect: { first: 'Feature', autoAccept: true } },
  { wanted: 'Imporvement', among: labels, expect: { first: 'Improvement', autoAccept: true } },
  { wanted: 'Kenji Watanaeb', among: people, expect: { first: 'Kenji Watanabe', autoAccept: true } },
  { wanted: 'Mobiel Checkout', among: projects, expect: { first: 'Mobile Checkout', autoAccept: true } },
  { wanted: 'Onbaording Revamp', among: projects, expect: { first: 'Onboarding Revamp', autoAccept: true } },
  { wanted: 'Website Rerfesh', among: projects, expect: { first: 'Website Refresh', autoAccept: true } },
]

/** More than one slip: the right one comes first, and is taken only when each is in a word of its own. */
export const severalSlips: readonly Entry[] = [
  { wanted: 'Custmer Sucess', among: teams, expect: { first: 'Customer Success', autoAccept: true } },
  { wanted: 'Prodct Desing', among: teams, expect: { first: 'Product Design', autoAccept: true } },
  { wanted: 'Biling Migraton', among: projects, expect: { first: 'Billing Migration', autoAccept: true } },
  { wanted: 'Enginring', among: teams, expect: { first: 'Engineering', autoAccept: false } },
  { wanted: 'Enigneerign', among: teams, expect: { first: 'Engineering', autoAccept: false } },
  { wanted: 'Enjinearing', among: teams, expect: { first: 'Engineering', autoAccept: false } },
  { wanted: 'Documentashun', among: labels, expect: { first: 'Documentation', autoAccept: false } },
  { wanted: 'Acessability', among: labels, expect: { first: 'Accessibility', autoAccept: false } },
  { wanted: 'Preformence', among: labels, expect: { first: 'Performance', autoAccept: false } },
  { wanted: 'Sharlotte Dubwa', among: people, expect: { first: 'Charlotte Dubois', autoAccept: false } },
  { wanted: 'Thomas Kowalski', among: people, expect: { first: 'Tomasz Kowalski', autoAccept: false } },
  { wanted: 'Cstomer Scces', among: teams, expect: { first: 'Customer Success', autoAccept: false } },
]

/** Names too short for a slip to be told from another name. */
export const shortNames: readonly Entry[] = [
  { wanted: 'Bugg', among: labels, expect: { first: 'Bug', autoAccept: false } },
  { wanted: 'Bgu', among: labels, expect: { first: 'Bug', autoAccept: false } },
  { wanted: 'Dnoe', among: states, expect: { first: 'Done', autoAccept: false } },
  { wanted: 'Toodo', among: states, expect: { first: 'Todo', autoAccept: false } },
  { wanted: 'Legl', among: teams, expect: { first: 'Legal', autoAccept: false } },
  { wanted: 'Traige', among: states, expect: { first: 'Triage', autoAccept: false } },
  { wanted: 'Maria', among: ['Mario', 'Peter'], expect: { first: 'Mario', autoAccept: false } },
  { wanted: 'Sales', among: ['Scales', 'Finance'], expect: { first: 'Scales', autoAccept: false } },
  { wanted: 'IOT', among: ['IOS', 'Web'], expect: { first: 'IOS', autoAccept: false } },
  { wanted: 'Q1-2026', among: quarters, expect: { first: 'Q1 2026', autoAccept: false } },
]
