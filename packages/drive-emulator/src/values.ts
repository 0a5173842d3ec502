/** An object whose fields nobody has checked yet: a request's body, a part of an answer. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a value that must be an object. */
export function fieldsOf(value: unknown): Fields {
  if (!isFields(value)) throw new TypeError('An object was expected.')
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
export const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [])
