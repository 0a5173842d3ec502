import { type ListRange, logTable } from '@mcp-toolkits/emulator'
import { type ConsentPerson, listGrants, type OAuthGrant } from '@mcp-toolkits/emulator/oauth'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { documentRows } from './discussion/documents.ts'
import { entityTypes } from './entities.ts'
import { viewerId } from './seed/seed-ids.ts'
import type { EntityRow } from './store/entity-type.ts'
import { entityTypeOf } from './store/filters.ts'
import { select } from './store/tables.ts'

const mutationShape = { id: integer, at: text, field: text, entity: nullable(text) }

/** A successful mutation. */
export type LinearMutation = RowOf<typeof mutationShape>

/** The workspace's entities, oldest first, including archived ones. */
export interface LinearReaders {
  readonly issues: () => EntityRow[]
  readonly comments: () => EntityRow[]
  readonly attachments: () => EntityRow[]
  readonly relations: () => EntityRow[]
  readonly projects: () => EntityRow[]
  readonly projectUpdates: () => EntityRow[]
  readonly milestones: () => EntityRow[]
  readonly projectStatuses: () => EntityRow[]
  readonly documents: () => EntityRow[]
  readonly initiatives: () => EntityRow[]
  readonly projectLinks: () => EntityRow[]
  readonly notifications: () => EntityRow[]
  /** Applications' grants. */
  readonly grants: () => OAuthGrant[]
  /** The ids of an issue's labels. */
  readonly labelsOf: (issueId: string) => string[]
  /** The ids of users subscribed to an issue. */
  readonly subscribersOf: (issueId: string) => string[]
  /** The ids of a project's teams. */
  readonly teamsOf: (projectId: string) => string[]
  /** Successful mutations, in order. */
  readonly mutations: (range?: ListRange) => LinearMutation[]
}

/** Creates functions that read the workspace. */
export function createReaders(store: Store): LinearReaders {
  const all = (type: string) => () => select(store, entityTypeOf(entityTypes, type), 'order by a.createdAt, a.id')
  const ids = (sql: string, id: string) => store.rows({ id: text }, sql, { id }).map((row) => row.id)
  return {
    issues: all('Issue'),
    comments: all('Comment'),
    attachments: all('Attachment'),
    relations: all('IssueRelation'),
    projects: all('Project'),
    projectUpdates: all('ProjectUpdate'),
    milestones: all('ProjectMilestone'),
    projectStatuses: all('ProjectStatus'),
    documents: () => select(store, documentRows, 'order by a.createdAt, a.id'),
    initiatives: all('Initiative'),
    projectLinks: all('InitiativeToProject'),
    notifications: all('Notification'),
    grants: () => listGrants(store),
    labelsOf: (issueId) => ids('select labelId as id from issueLabels where issueId = :id order by 1', issueId),
    subscribersOf: (issueId) => ids('select userId as id from issueSubscribers where issueId = :id order by 1', issueId),
    teamsOf: (projectId) => ids('select teamId as id from projectTeams where projectId = :id order by 1', projectId),
    mutations: mutationTable(store).list,
  }
}

/** The people who can consent: the owner of the personal key, then the others by name. */
export function listPeople(store: Store): ConsentPerson[] {
  const sql = 'select id, name, email from users where active = 1 and app = 0 order by id <> :viewerId, name, id'
  return store.rows({ id: text, name: text, email: text }, sql, { viewerId })
}

/** True for a suspended user. */
export const isSuspended = (store: Store) => (id: string) =>
  store.rows({}, 'select 1 from users where id = :id and active = 0', { id }).length > 0

/** The log of successful mutations. */
export const mutationTable = (store: Store) =>
  logTable(store, { name: 'mutations', title: 'Mutations', columns: mutationShape, from: 'mutations' })

const deliveryShape = {
  ...{ id: integer, at: text, delivery: text, webhook: text, event: text, attempts: integer, status: text },
  ...{ httpStatus: nullable(integer), error: nullable(text), dueAt: nullable(text) },
}

/** The log of webhook deliveries: pending, delivered or failed, with the outcome of the latest attempt. */
export const deliveryTable = (store: Store) =>
  logTable(store, {
    name: 'deliveries',
    title: 'Webhook deliveries',
    columns: deliveryShape,
    from: `(select id, at, delivery, webhook, resource || ' ' || action as event, attempts, status, httpStatus, error, dueAt
      from emulator_webhook_deliveries)`,
  })
