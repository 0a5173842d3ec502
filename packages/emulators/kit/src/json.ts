/** A JSON object whose members have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value that must be an object. */
export function toObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new TypeError('The value must be an object.')
  return value
}

/** Parses JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A member that must be a string. */
export function stringAt(source: JsonObject, name: string): string {
  const value = source[name]
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string.`)
  return value
}

/** A member that must be a number. */
export function numberAt(source: JsonObject, name: string): number {
  const value = source[name]
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number.`)
  return value
}

/** The strings in a list; empty if the value is not a list. */
export const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

/** A member that is a string, or null for anything else. */
export function stringOrNullAt(source: JsonObject, name: string): string | null {
  const value = source[name]
  return typeof value === 'string' ? value : null
}
