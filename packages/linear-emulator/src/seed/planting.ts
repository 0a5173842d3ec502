import type { Store } from '@mcp-toolkits/store'
import { nounOf } from '../filters.ts'
import { idOf } from '../ids.ts'
import { nouns } from '../parts.ts'
import type { Changes } from '../session.ts'
import { insert } from '../tables.ts'

/** Plants entities whose ids follow from their names, at dates counted from now. */
export interface Planting {
  readonly store: Store
  /** Inserts an entity called `name`, made so many days ago, and returns its id. */
  readonly plant: (type: string, name: string, values: Changes & { readonly daysAgo?: number; readonly touched?: number }) => string
  /** A row of a table of pairs. */
  readonly pair: (table: string, mine: string, theirs: string) => void
  /** The moment so many days ago. */
  readonly ago: (days: number) => string
  /** The day so many days ahead. */
  readonly ahead: (days: number) => string
}

const length = 86_400_000

/** Starts planting. */
export function planting(store: Store, now: number): Planting {
  const ago = (days: number) => new Date(now - days * length).toISOString()
  return {
    store,
    ago,
    ahead: (days) => ago(-days).slice(0, 10),
    plant(type, name, { daysAgo = 90, touched, ...values }) {
      const id = idOf(`${type} ${name}`)
      insert(store, nounOf({ nouns }, type), { id, createdAt: ago(daysAgo), updatedAt: ago(touched ?? daysAgo), ...values })
      return id
    },
    pair(table, mine, theirs) {
      store.run(`insert into ${table} values (:mine, :theirs)`, { mine, theirs })
    },
  }
}
