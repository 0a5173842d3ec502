/** An object whose fields nobody has checked yet: an input, a row, a part of an answer. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a value that must be an object. */
export function fields(value: unknown): Fields {
  if (!isFields(value)) throw new TypeError('An object was expected.')
  return value
}

/** A text that must be there. */
export function text(source: Fields, name: string): string {
  const value = source[name]
  if (typeof value !== 'string') throw new TypeError(`${name} must be text.`)
  return value
}

/** A text, or null when there is none. */
export function textOrNull(source: Fields, name: string): string | null {
  const value = source[name]
  return typeof value === 'string' ? value : null
}

/** A number that must be there. */
export function number(source: Fields, name: string): number {
  const value = source[name]
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number.`)
  return value
}

/** The texts of a list; none when there is no list. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

/** The value of a JSON text, or undefined when it is not JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
