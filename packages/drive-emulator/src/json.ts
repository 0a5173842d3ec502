/** A JSON object whose members have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks that a value is an object. */
export function toJsonObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new TypeError('An object was expected.')
  return value
}

/** The value of a JSON text, or undefined when it is not JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The strings of an array; empty for anything else. */
export const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
