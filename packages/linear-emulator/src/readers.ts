import type { ListRange } from '@mcp-toolkits/emulator'
import { listGrants, type OAuthGrant } from '@mcp-toolkits/emulator/oauth'
import { integer, nullable, text, type RowOf, type Store } from '@mcp-toolkits/store'
import { entityTypeOf } from './store/filters.ts'
import type { EntityRow } from './store/entity-type.ts'
import { entityTypes } from './entities/index.ts'
import { select } from './store/tables.ts'

const shape = { id: integer, at: text, field: text, entity: nullable(text) }

/** A mutation that succeeded. */
export type LinearMutation = RowOf<typeof shape>

/** The entities of the workspace, oldest first, including archived ones. */
export interface LinearReaders {
  readonly issues: () => EntityRow[]
  readonly comments: () => EntityRow[]
  readonly attachments: () => EntityRow[]
  readonly relations: () => EntityRow[]
  readonly projects: () => EntityRow[]
  readonly projectUpdates: () => EntityRow[]
  readonly initiatives: () => EntityRow[]
  readonly projectLinks: () => EntityRow[]
  readonly notifications: () => EntityRow[]
  /** The grants of applications. */
  readonly grants: () => OAuthGrant[]
  /** The ids of the labels of an issue. */
  readonly labelsOf: (issueId: string) => string[]
  /** The ids of the teams of a project. */
  readonly teamsOf: (projectId: string) => string[]
  /** The mutations that succeeded, in order. */
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
    initiatives: all('Initiative'),
    projectLinks: all('InitiativeToProject'),
    notifications: all('Notification'),
    grants: () => listGrants(store),
    labelsOf: (issueId) => ids('select labelId as id from issueLabels where issueId = :id order by 1', issueId),
    teamsOf: (projectId) => ids('select teamId as id from projectTeams where projectId = :id order by 1', projectId),
    mutations: (range) => listMutations(store, range),
  }
}

/** Mutations after the one with the id `after`. */
export function listMutations(store: Store, { after = 0, limit = -1 }: ListRange = {}): LinearMutation[] {
  return store.rows(shape, 'select id, at, field, entity from mutations where id > :after order by id limit :limit', { after, limit })
}

/** The newest mutations, newest first. */
export function latestMutations(store: Store, count: number): LinearMutation[] {
  return store.rows(shape, 'select id, at, field, entity from mutations order by id desc limit :count', { count })
}
