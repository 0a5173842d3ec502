/** A JSON object from outside. */
export type Row = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path of names; undefined if there is none. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value)
}

/** The text at a path of names; empty if there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}

/** The records in a list at a path of names. */
export function listAt(value: unknown, ...names: readonly string[]): readonly Row[] {
  const found = at(value, ...names)
  return Array.isArray(found) ? found.filter(isRecord) : []
}
