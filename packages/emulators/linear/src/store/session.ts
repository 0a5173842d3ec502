import type { Store } from '@mcp-toolkits/sqlite'
import type { RateLimitStatus } from '../rate-limits.ts'
import { entityTypeOf } from './filters.ts'
import type { Entity, EntityTypes } from './entity-type.ts'
import { type Extras, openExtras } from './extras.ts'
import { changesBetween, type RecordedChanges, recordMutation } from './mutations.ts'
import {
  type ConnectionPage,
  type ConnectionScope,
  count,
  insert,
  type RankRequest,
  rankIds,
  readPage,
  remove,
  select,
  update,
} from './tables.ts'
import { conflict, notFound } from '../errors.ts'
import { readHiddenTeams, type VisibleTypes, visibleTypes } from './visibility.ts'
import { toObject, isObject, type JsonObject } from '@mcp-toolkits/emulator'

/** Access to the workspace for one request. */
export interface Session extends Extras {
  readonly store: Store
  readonly viewerId: string
  /** The origin of the address at which the caller reaches the emulator. */
  readonly origin: () => string
  /** The base URL at which the caller reads files. */
  readonly files: () => string
  /** The URL of a workspace page; empty while there are no pages. */
  readonly pageUrl: (path: string) => string
  /** The time of the request, in epoch milliseconds. */
  readonly now: number
  /** The same, in the tables' format. */
  readonly at: string
  readonly page: (type: string, args: JsonObject, scope?: ConnectionScope) => ConnectionPage
  /** The ids of all rows that the arguments select, sorted by the keys. */
  readonly rankIds: (request: RankRequest) => readonly string[]
  readonly find: (type: string, id: unknown) => Entity | null
  /** Finds an entity or throws `notFound`. */
  readonly get: (type: string, id: string) => Entity
  /** The rows selected by a clause, including archived ones; `a` is the table. */
  readonly select: (type: string, clause: string, values?: Record<string, string | number>) => Entity[]
  readonly count: (type: string, where: string, values?: Record<string, string | number>) => number
  readonly insert: (type: string, values: Changes & { readonly id: string }) => Entity
  readonly update: (type: string, id: string, changes: Changes) => Entity
  /** Deletes a row and returns it. */
  readonly remove: (type: string, id: string) => Entity
  /** Runs one mutation as a transaction and records it. */
  readonly mutate: (field: string, work: () => unknown) => Promise<unknown>
  readonly rateLimits: () => readonly RateLimitStatus[]
  readonly entityTypes: EntityTypes
  /** The ids of the teams whose content the caller, or another user, cannot see. */
  readonly hiddenTeams: (userId?: string) => readonly string[]
  /** True if a user can see the entity. */
  readonly isVisibleTo: (userId: string, type: string, id: string) => boolean
}

/** A mutation's effect on one entity. */
export interface EntityChange {
  readonly type: string
  readonly action: 'create' | 'update' | 'remove'
  readonly row: Entity
  /** The row before the change; null for a new one. */
  readonly before: Entity | null
}

export type Changes = Readonly<Record<string, string | number | boolean | null | undefined>>

interface SessionOptions extends Pick<Session, 'store' | 'entityTypes' | 'origin' | 'files' | 'viewerId' | 'now' | 'rateLimits'> {
  /** Called with a mutation's changes, within its transaction. */
  readonly onMutation?: (changes: readonly EntityChange[], session: Session) => void
  /** The tool sending the request; null if unknown. */
  readonly call: string | null
  /** Address of the workspace's pages, without a trailing slash; undefined while there are none. */
  readonly pages: () => string | undefined
}

/** Opens a session, which caches rows until it changes something. */
export function openSession({ store, entityTypes, onMutation, viewerId, call, pages, now, ...rest }: SessionOptions): Session {
  const entityChanges: EntityChange[] = []
  const visible = visibleTypes(store, entityTypes, viewerId)
  const { find, get, forgetRows } = openRows(store, visible)
  /** Changes that the running mutation has made, by entity id. */
  const changed = new Map<string, RecordedChanges>()
  const at = new Date(now).toISOString()
  const extras = openExtras(store, at)
  const forget = () => {
    forgetRows()
    extras.forgetExtras()
    changed.clear()
    entityChanges.length = 0
  }
  const session: Session = {
    ...rest,
    store,
    viewerId,
    pageUrl: pageUrls(pages),
    now,
    at,
    page: (type, args, scope) =>
      readPage(store, { entityTypes: visible, values: [], viewerId, now }, { type, args, ...(scope && { scope }) }),
    rankIds: (request) => rankIds(store, { entityTypes: visible, values: [], viewerId, now }, request),
    find,
    get,
    select: (type, clause, values = {}) => select(store, entityTypeOf(visible, type), clause, values),
    count: (type, where, values = {}) => count(store, entityTypeOf(visible, type), where, values),
    insert(type, values) {
      const entityType = entityTypeOf(entityTypes, type)
      if (count(store, entityType, 'a.id = :id', { id: values.id }) > 0) throw conflict(type, values.id)
      insert(store, entityType, { createdAt: at, updatedAt: at, ...values })
      forgetRows(type)
      // A private team is hidden until its first member is added.
      const [row] = select(store, entityType, 'where a.id = :id', { id: values.id })
      if (row === undefined) throw notFound(type)
      entityChanges.push({ type, action: 'create', row, before: null })
      return row
    },
    update(type, id, changes) {
      const before = find(type, id)
      update(store, entityTypeOf(entityTypes, type), { updatedAt: at, ...changes, id })
      forgetRows(type)
      const after = get(type, id)
      changed.set(id, { ...changed.get(id), ...changesBetween(before ?? {}, after) })
      entityChanges.push({ type, action: 'update', row: after, before })
      return after
    },
    remove(type, id) {
      const before = get(type, id)
      remove(store, entityTypeOf(entityTypes, type), id)
      forgetRows(type)
      entityChanges.push({ type, action: 'remove', row: before, before })
      return before
    },
    async mutate(field, work) {
      try {
        return await store.write(() => {
          // Another process may have written meanwhile.
          forget()
          const insert = 'insert into mutations (at, field, viewer, call) values (:at, :field, :viewerId, :call)'
          const record = () => store.run(insert, { at, field, viewerId, call })
          const lastSyncId = record()
          const payload = toObject(work())
          const [first = {}, ...others] = entitiesOf(payload)
          recordMutation(store, lastSyncId, first, changed)
          for (const entity of others) recordMutation(store, record(), entity, changed)
          onMutation?.(entityChanges, session)
          return { success: true, lastSyncId, ...payload }
        })
      } catch (error) {
        forget()
        throw error
      }
    },
    entityTypes,
    hiddenTeams: (userId = viewerId) => (userId === viewerId ? visible.hiddenTeams() : readHiddenTeams(store, userId)),
    isVisibleTo: (userId, type, id) => count(store, entityTypeOf(visibleTypes(store, entityTypes, userId), type), 'a.id = :id', { id }) > 0,
    ...extras,
  }
  return session
}

/** Cached rows, by type and id. */
function openRows(store: Store, visible: VisibleTypes) {
  const cache = new Map<string, Entity | null>()
  const find = (type: string, id: unknown) => {
    if (typeof id !== 'string') return null
    const key = `${type} ${id}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const found = select(store, entityTypeOf(visible, type), 'where a.id = :id', { id })[0] ?? null
    cache.set(key, found)
    return found
  }
  const get = (type: string, id: string) => {
    const found = find(type, id)
    if (found === null) throw notFound(type)
    return found
  }
  /** Forgets rows after a change to entities of this type or, by default, of any type. */
  const forgetRows = (type = 'Team') => {
    cache.clear()
    if (type === 'Team' || type === 'TeamMembership') visible.forget()
  }
  return { find, get, forgetRows }
}

/** URLs of pages. Their base address is looked up once, and only for requests that ask for a URL. */
function pageUrls(pages: SessionOptions['pages']): Session['pageUrl'] {
  let base: { readonly url: string | undefined } | undefined
  return (path) => {
    base ??= { url: pages() }
    return base.url === undefined ? '' : base.url + path
  }
}

/** The entities in the first payload field that has any: a single one, or a batch. */
const entitiesOf = (payload: JsonObject): readonly JsonObject[] =>
  Object.values(payload)
    .map((value) => [value].flat().filter(isObject))
    .find((entities) => entities.length > 0) ?? []
