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

/** An object with every text in it replaced by `change`, at any depth and in the names of members too; the object itself when that changes nothing. */
export function mapTexts(object: JsonObject, change: (text: string) => string): JsonObject {
  const entries = Object.entries(object)
  const changed = entries.map(([name, value]) => [change(name), mapTextsIn(value, change)] as const)
  return changed.every(([name, value], index) => name === entries[index]?.[0] && value === entries[index][1])
    ? object
    : Object.fromEntries(changed)
}

function mapTextsIn(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (isObject(value)) return mapTexts(value, change)
  if (!Array.isArray(value)) return value
  const changed = value.map((each: unknown) => mapTextsIn(each, change))
  return changed.every((each, index) => each === value[index]) ? value : changed
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
