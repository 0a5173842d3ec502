/** A JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Parses JSON; returns undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True for an object with named members; false for an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object's member; undefined if it has none by that name, or is not an object. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** A member that is a non-empty string. */
export function stringMember(value: unknown, name: string): string | undefined {
  const found = member(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** An object with `change` applied to all its strings, at any depth, including member names; the same object if nothing changes. */
export function mapTexts(object: JsonObject, change: (text: string) => string): JsonObject {
  const names = Object.keys(object)
  const newNames = mapItems(names, change)
  const values = names.map((name) => object[name])
  const newValues = mapItems(values, (value) => mapTextsIn(value, change))
  if (newNames === names && newValues === values) return object
  return Object.fromEntries(newNames.map((name, index) => [name, newValues[index]]))
}

function mapTextsIn(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (isObject(value)) return mapTexts(value, change)
  if (!Array.isArray(value)) return value
  const items: readonly unknown[] = value
  return mapItems(items, (item) => mapTextsIn(item, change))
}

/** `items.map(change)`, or the same list if nothing changes: results can have thousands of items, so no needless copy is made. */
function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined
  for (const [index, item] of items.entries()) {
    const next = change(item)
    if (changed) changed.push(next)
    else if (next !== item) changed = [...items.slice(0, index), next]
  }
  return changed ?? items
}

/** JSON with sorted keys, so that equivalent values produce the same text. Null members are omitted unless `nulls` is `kept`. */
export function canonicalJson(value: unknown, nulls: 'left out' | 'kept' = 'left out'): string {
  return JSON.stringify([canonical(value, nulls)]).slice(1, -1)
}

function canonical(value: unknown, nulls: 'left out' | 'kept'): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, nulls))
  if (!isObject(value)) return value
  const names = Object.keys(value).filter((name) => nulls === 'kept' || value[name] !== null)
  return Object.fromEntries(names.sort().map((name) => [name, canonical(value[name], nulls)]))
}

/** The length of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Limits that keep parsing JSON fast and its memory use low. */
export interface JsonLimits {
  /** Maximum number of levels of lists and objects. */
  readonly maxDepth: number
  /** Maximum number of members of one object: parsing many distinct names is slow. */
  readonly maxMembers: number
  /** Maximum number of lists and objects in total: even an empty one takes far more memory than its two characters. */
  readonly maxContainers: number
}

/** The code units that give JSON its structure. */
export const jsonUnits = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

const backslash = 0x5c

/** Finds the limit that JSON exceeds; undefined if it exceeds none, or if the text is not JSON. Scans the text once, without parsing it. */
export function excessOf(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const nesting = new JsonNesting(limits)
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === jsonUnits.quote) index = endOfString(text, index)
    // Skips digits, commas and spaces, whose codes are smaller.
    else if (unit >= jsonUnits.colon) {
      const exceeded = nesting.read(unit)
      if (exceeded) return exceeded
      if (nesting.containers > limits.maxContainers) return 'maxContainers'
    }
  }
  return undefined
}

/** Tracks the open lists and objects while JSON is read. */
export class JsonNesting {
  /** Number of lists and objects so far. */
  containers = 0
  readonly #limits: Pick<JsonLimits, 'maxDepth' | 'maxMembers'>
  /** Number of named members in each open container. */
  readonly #members: number[] = []

  constructor(limits: Pick<JsonLimits, 'maxDepth' | 'maxMembers'>) {
    this.#limits = limits
  }

  /** Number of open containers. */
  get depth(): number {
    return this.#members.length
  }

  /** Reads one code unit outside a string. Returns the limit that it exceeds, if any. */
  read(unit: number): 'maxDepth' | 'maxMembers' | undefined {
    const members = this.#members
    if (unit === jsonUnits.colon && members.length > 0) {
      const count = (members.at(-1) ?? 0) + 1
      if (count > this.#limits.maxMembers) return 'maxMembers'
      members[members.length - 1] = count
    } else if (unit === jsonUnits.openList || unit === jsonUnits.openObject) {
      this.containers += 1
      if (members.length >= this.#limits.maxDepth) return 'maxDepth'
      members.push(0)
    } else if (unit === jsonUnits.closeList || unit === jsonUnits.closeObject) members.pop()
    return undefined
  }
}

/** Number of code units to read one by one before searching for a string's end: a search is faster only in long strings. */
const stride = 64

/** The index of the quotation mark that ends the string at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    for (const end = index + stride; index < end && index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      if (unit === jsonUnits.quote) return index
      if (unit === backslash) index += 1
    }
    const found = text.indexOf('"', index)
    if (found < 0) return text.length
    let backslashes = 0
    while (found - backslashes > index && text.charCodeAt(found - backslashes - 1) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return found
    index = found + 1
  }
  return text.length
}

/** The arguments without nulls, for comparing calls: some hosts send null for every optional parameter that is not set. */
export function withoutNulls(args: JsonObject): JsonObject
export function withoutNulls(args: unknown): unknown
export function withoutNulls(args: unknown): unknown {
  if (!isObject(args)) return args ?? {}
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}

/** The description of a parameter or field; if it has none, its first alternative's. */
export function descriptionOf({ description, anyOf }: JsonObject): string | undefined {
  if (typeof description === 'string') return description
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
  const first = alternatives.find(isObject)
  return first && descriptionOf(first)
}
