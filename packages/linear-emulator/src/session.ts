import { integer, type Store } from '@mcp-toolkits/store'
import type { BudgetStatus } from './budget.ts'
import { nounOf } from './filters.ts'
import type { Noun, Row } from './noun.ts'
import { readPage, type Page, type Scope } from './pages.ts'
import { conflict, notFound } from './refusals.ts'
import { insert, select, update } from './tables.ts'
import { fields, isFields, textOrNull, type Fields } from './values.ts'

/** One request's view of the workspace. */
export interface Session {
  readonly store: Store
  readonly viewerId: string
  /** The moment of the request, in milliseconds. */
  readonly now: number
  /** The same, as the store keeps moments. */
  readonly at: string
  readonly page: (type: string, args: Fields, scope?: Scope) => Page
  readonly find: (type: string, id: unknown) => Row | null
  /** The entity that must be there. */
  readonly get: (type: string, id: string) => Row
  /** The rows that a clause selects, archived ones too; `a` is the table. */
  readonly select: (type: string, clause: string, values?: Record<string, string | number>) => Row[]
  readonly count: (type: string, where: string, values?: Record<string, string | number>) => number
  readonly insert: (type: string, values: Changes & { readonly id: string }) => Row
  readonly update: (type: string, id: string, changes: Changes) => Row
  /** Runs one mutation as a transaction, and notes it. */
  readonly mutate: (field: string, work: () => unknown) => unknown
  /** What the caller may still ask for. */
  readonly budget: () => readonly BudgetStatus[]
}

export type Changes = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface SessionOptions {
  readonly store: Store
  readonly nouns: ReadonlyMap<string, Noun>
  readonly viewerId: string
  readonly now: number
  readonly budget: () => readonly BudgetStatus[]
}

/** Opens a session. What it has found it keeps until it changes something. */
export function openSession({ store, nouns, viewerId, now, budget }: SessionOptions): Session {
  const known = new Map<string, Row | null>()
  const at = new Date(now).toISOString()
  const find = (type: string, id: unknown) => {
    if (typeof id !== 'string') return null
    const key = `${type} ${id}`
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const found = select(store, nounOf({ nouns }, type), { clause: 'where a.id = :id', values: { id } })[0] ?? null
    known.set(key, found)
    return found
  }
  const get = (type: string, id: string) => {
    const found = find(type, id)
    if (found === null) throw notFound(type)
    return found
  }
  return {
    store,
    viewerId,
    now,
    at,
    page: (type, args, scope) => readPage(store, { nouns, values: {}, viewerId, now }, { type, args, ...(scope && { scope }) }),
    find,
    get,
    select: (type, clause, values = {}) => select(store, nounOf({ nouns }, type), { clause, values }),
    count(type, where, values = {}) {
      const sql = `select count(*) as found from ${nounOf({ nouns }, type).table} a where ${where}`
      return store.rows({ found: integer }, sql, values)[0]?.found ?? 0
    },
    insert(type, values) {
      if (find(type, values.id) !== null) throw conflict(type, values.id)
      known.clear()
      insert(store, nounOf({ nouns }, type), { createdAt: at, updatedAt: at, ...values })
      return get(type, values.id)
    },
    update(type, id, changes) {
      known.clear()
      update(store, nounOf({ nouns }, type), { updatedAt: at, ...changes, id })
      return get(type, id)
    },
    mutate(field, work) {
      try {
        return store.write(() => {
          // Another process may have written since this one looked.
          known.clear()
          const lastSyncId = store.run('insert into mutations (at, field) values (:at, :field)', { at, field })
          const payload = fields(work())
          store.run('update mutations set entity = :entity where id = :id', { entity: entityOf(payload), id: lastSyncId })
          return { success: true, lastSyncId, ...payload }
        })
      } catch (error) {
        known.clear()
        throw error
      }
    },
    budget,
  }
}

/** The id of what a mutation answers with. */
function entityOf(payload: Fields): string | null {
  const entity = Object.values(payload).find(isFields)
  return entity === undefined ? null : textOrNull(entity, 'id')
}
