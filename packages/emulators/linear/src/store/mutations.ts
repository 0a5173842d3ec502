import { isObject, type JsonObject, parseJson, stringOrNullAt } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import type { EntityRow } from './entity-type.ts'

/** A value before and after a change; `long` for text too long to repeat. */
export type RecordedChange = readonly [before: string | number | null, after: string | number | null] | 'long'

/** A mutation's changes, by column. */
export type RecordedChanges = Readonly<Record<string, RecordedChange>>

const maxLength = 200

const isLong = (value: unknown) => typeof value === 'string' && value.length > maxLength

/** The columns in which two versions of a row differ. */
export function changesBetween(before: EntityRow, after: EntityRow): RecordedChanges {
  const names = Object.keys(after).filter((name) => name !== 'updatedAt' && before[name] !== after[name])
  return Object.fromEntries(
    names.map((name): [string, RecordedChange] => {
      const [old = null, current = null] = [before[name], after[name]]
      return [name, isLong(old) || isLong(current) ? 'long' : [old, current]]
    }),
  )
}

/** The changes that a mutation recorded as JSON. */
export function parseChanges(json: string | null): RecordedChanges {
  const parsed = json === null ? undefined : parseJson(json)
  return Object.fromEntries(
    Object.entries(isObject(parsed) ? parsed : {}).map(([name, change]: [string, unknown]): [string, RecordedChange] => {
      const values: readonly unknown[] = Array.isArray(change) ? change : []
      return [name, change === 'long' ? 'long' : [toValue(values[0]), toValue(values[1])]]
    }),
  )
}

const toValue = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? value : null)

/** Records which entity a mutation changed, and how. */
export function recordMutation(store: Store, id: number, entity: JsonObject, changed: ReadonlyMap<string, RecordedChanges>): void {
  const entityId = stringOrNullAt(entity, 'id')
  const changes = changed.get(entityId ?? '')
  store.run('update mutations set entity = :entity, subject = :subject, changes = :changes where id = :id', {
    id,
    entity: entityId,
    subject: subjectOf(entity),
    changes: changes === undefined ? null : JSON.stringify(changes),
  })
}

/** The issue, project or initiative whose page shows a change to an entity. */
function subjectOf(entity: JsonObject): string | null {
  // An issue also names its project.
  if (typeof entity['identifier'] === 'string') return stringOrNullAt(entity, 'id')
  return stringOrNullAt(entity, 'issueId') ?? stringOrNullAt(entity, 'projectId') ?? stringOrNullAt(entity, 'id')
}
