// A vendor on a port of this machine, with a task's data and the changes to it.
import { isObject, type JsonObject, member, parseJson } from '../../../packages/core/src/base/json.ts'
import type { SnapshotDiff, StoredRow } from '../../../packages/emulators/kit/src/standalone/snapshots.ts'
import type { Change } from '../judge.ts'
import type { Task, Vendor } from '../task.ts'

export interface World extends AsyncDisposable {
  readonly vendor: Vendor
  readonly url: string
  readonly key: string
  /** Restores the seed and prepares it for the task. The resulting state is called the beginning. */
  readonly begin: (task: Pick<Task, 'prepare'>) => void
  /** Signs a program in, and resolves with its token; at Drive, the refresh token. */
  readonly signIn?: () => Promise<string>
  /** Number of requests since the beginning. */
  readonly requests: () => number
  /** Differences from the beginning, in every table. */
  readonly changes: () => Promise<readonly Change[]>
  /** Does something, as another client, that no task asks for. */
  readonly doHarm: () => Promise<unknown>
}

/** Reads a row the way people do. */
export interface Reader {
  /** A row's name, by its table. */
  readonly nameOf: (table: string, row: StoredRow) => string
  /** A row's fields, with names instead of ids, and without derived ones. */
  readonly fieldsOf: (table: string, row: JsonObject) => JsonObject
}

/** All differences as changes of rows. */
export function changesIn(diff: SnapshotDiff, { nameOf, fieldsOf }: Reader): Change[] {
  return Object.entries(diff).flatMap(([table, { added, changed, removed }]) => {
    const read = (values: readonly ColumnChange[], which: 'from' | 'to') =>
      fieldsOf(table, Object.fromEntries(values.map(({ name, ...value }) => [name, value[which]])))
    const whole = (kind: 'added' | 'removed') => (row: StoredRow) => {
      const values = Object.entries(row).flatMap(([column, to]) => valuesIn(column, { from: null, to }))
      const fields = read(
        values.filter(({ to }) => to !== null),
        'to',
      )
      return { kind, table, name: nameOf(table, row), fields }
    }
    const partly = changed.map(({ row, changes }) => {
      const values = Object.entries(changes).flatMap(([column, change]) => valuesIn(column, change))
      return { kind: 'changed' as const, table, name: nameOf(table, row), fields: read(values, 'to'), before: read(values, 'from') }
    })
    return [
      ...added.map(whole('added')),
      ...partly.filter(({ fields }) => Object.keys(fields).length > 0),
      ...removed.map(whole('removed')),
    ]
  })
}

/** A column that differs, with both values; null stands for no value. */
interface ColumnChange {
  readonly name: string
  readonly from: unknown
  readonly to: unknown
}

/** The differing values of a column, or of an object's members if the column stores JSON. */
function valuesIn(column: string, { from, to }: { readonly from: unknown; readonly to: unknown }): ColumnChange[] {
  const after = column === 'data' ? parseJson(String(to)) : undefined
  if (!isObject(after)) return [{ name: column, from, to }]
  const before = parseJson(String(from))
  const names = new Set([...Object.keys(isObject(before) ? before : {}), ...Object.keys(after)])
  return [...names]
    .map((name) => ({ name, from: member(before, name) ?? null, to: after[name] ?? null }))
    .filter((change) => JSON.stringify(change.from) !== JSON.stringify(change.to))
}

/** Sends JSON as another client of the vendor, and returns the answer. */
export async function sendJson(url: string, authorization: string, body: object, method = 'POST'): Promise<JsonObject> {
  const response = await fetch(url, { method, headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const answer: unknown = await response.json()
  if (!response.ok || !isObject(answer) || answer['errors'] !== undefined) throw new Error(`${url}: ${JSON.stringify(answer)}`)
  return answer
}
