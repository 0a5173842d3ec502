import { integer, type Store } from '@mcp-toolkits/sqlite'

/** Quota units by kind of call: https://developers.google.com/workspace/drive/api/guides/limits. */
export const quotaUnits: Readonly<Record<string, number>> = { get: 5, list: 100, edit: 50, download: 200, other: 5 }

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

/** Bytes used by a person's own files, and by the trashed ones among them. */
export function usageOf(store: Store, ownerId: string): { readonly bytes: number; readonly trashed: number } {
  const sql = 'select bytes, trashed from emulator_usage where ownerId = :ownerId'
  return store.rows({ bytes: integer, trashed: integer }, sql, { ownerId })[0] ?? { bytes: 0, trashed: 0 }
}
