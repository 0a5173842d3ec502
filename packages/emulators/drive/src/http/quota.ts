import { integer, type Store } from '@mcp-toolkits/sqlite'

/** Cost of calls: https://developers.google.com/workspace/drive/api/guides/limits. */
export const quotaUnits = { get: 5, list: 100, edit: 50, download: 200, other: 5 } as const

/** Usage of one method. */
export interface MethodUsage {
  readonly calls: number
  readonly units: number
}

/** Counts quota units by method. */
export interface QuotaMeter {
  readonly spend: (method: string, cost: number) => void
  readonly total: () => number
  readonly byMethod: () => Readonly<Record<string, MethodUsage>>
  readonly reset: () => void
}

export function openQuotaMeter(): QuotaMeter {
  const spent = new Map<string, MethodUsage>()
  return {
    spend(method, cost) {
      const before = spent.get(method) ?? { calls: 0, units: 0 }
      spent.set(method, { calls: before.calls + 1, units: before.units + cost })
    },
    total: () => [...spent.values()].reduce((sum, each) => sum + each.units, 0),
    byMethod: () => Object.fromEntries(spent),
    reset() {
      spent.clear()
    },
  }
}

const bytesOf = (row: 'old' | 'new') => `coalesce(${row}.size, 0)`

const count = `insert into emulator_usage select new.ownerId, ${bytesOf('new')}, ${bytesOf('new')} * new.trashed where new.ownerId is not null
  on conflict (ownerId) do update set bytes = bytes + excluded.bytes, trashed = trashed + excluded.trashed;`
const discount = `update emulator_usage set bytes = bytes - ${bytesOf('old')}, trashed = trashed - ${bytesOf('old')} * old.trashed
  where ownerId = old.ownerId;`

/** The bytes of each owner's files, which the database adds up with every change. */
export const usageTables = `create table emulator_usage (ownerId text primary key, bytes integer not null, trashed integer not null) strict;
insert into emulator_usage select ownerId, sum(coalesce(size, 0)), sum(coalesce(size, 0) * trashed) from files
  where ownerId is not null group by ownerId;
create trigger usage_insert after insert on files begin ${count} end;
create trigger usage_update after update of ownerId, size, trashed on files begin ${discount} ${count} end;
create trigger usage_delete after delete on files begin ${discount} end;`

/** Bytes used by a person's own files, and by those of them that are in the trash. */
export function usageOf(store: Store, ownerId: string): { readonly bytes: number; readonly trashed: number } {
  const sql = 'select bytes, trashed from emulator_usage where ownerId = :ownerId'
  return store.rows({ bytes: integer, trashed: integer }, sql, { ownerId })[0] ?? { bytes: 0, trashed: 0 }
}
