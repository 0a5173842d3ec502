/** An object whose fields nobody has checked yet: a request's body, a part of an answer. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a value that must be an object. */
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

/** The texts of a list; none when there is no list. */
export const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
