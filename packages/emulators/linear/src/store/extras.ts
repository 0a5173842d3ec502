import { type JsonObject, parseJson, toObject } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import type { EntityRow } from './entity-type.ts'
import { recordWriter } from './record-entity.ts'

const extras = recordWriter('extras')

/** Entity fields without table columns. */
export interface Extras {
  /** An entity's fields; empty if there are none. They are read only once. */
  readonly extras: (id: string) => JsonObject
  readonly storeExtras: (id: string, fields: EntityRow) => void
  readonly forgetExtras: () => void
}

export function openExtras(store: Store, at: string): Extras {
  const known = new Map<string, JsonObject>()
  return {
    extras(id) {
      const found = known.get(id) ?? toObject(parseJson(dataOf(store, id) ?? '{}'))
      known.set(id, found)
      return found
    },
    storeExtras(id, fields) {
      if (Object.keys(fields).length === 0) return
      known.delete(id)
      if (dataOf(store, id) === undefined) extras.insert(store, { id, createdAt: at, updatedAt: at, archivedAt: null, ...fields })
      else extras.update(store, id, { updatedAt: at, ...fields })
    },
    forgetExtras() {
      known.clear()
    },
  }
}

const dataOf = (store: Store, id: string): string | undefined =>
  store.rows({ data: (value) => typeof value === 'string' }, "select data from records where id = :id and type = 'extras'", { id })[0]?.data
