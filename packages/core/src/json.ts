/** A JSON object whose members have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value that a text holds; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value is an object with named members, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a value; undefined when the value is not an object or lacks it. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** A member that is a string and not empty. */
export function stringMember(value: unknown, name: string): string | undefined {
  const found = member(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** JSON with sorted keys and without null members, so that values that mean the same have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify([canonical(value)]).slice(1, -1)
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  )
}
