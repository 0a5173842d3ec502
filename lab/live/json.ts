type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of JSON text; the text itself if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value at a dotted path; undefined if it ends early. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    if (!Array.isArray(inner)) return isObject(inner) ? inner[name] : undefined
    const element: unknown = inner[Number(name)]
    return element
  }, value)
}

/** The text at a dotted path. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  if (typeof found !== 'string') throw new Error(`There is no text at ${path}.`)
  return found
}

/** The list at a dotted path. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path)
  if (!Array.isArray(found)) throw new Error(`There is no list at ${path}.`)
  return found
}

/** All objects in a value, however deep, including ones inside JSON strings. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? parsed(value) : undefined
    return typeof inner === 'object' ? objectsIn(inner) : []
  }
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}
