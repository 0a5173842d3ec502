import { isDeepStrictEqual } from 'node:util'
import { excessOf, isObject, parseJson } from '../base/json.ts'
import { readLooseJson } from './loose-json.ts'
import { isReversal } from './reversals.ts'
import { isFiller, isPlaceholder } from './plausibility.ts'
import { readDate } from './dates/dates.ts'
import { allowedValues, type Parameter, readName } from './parameters.ts'
import { closest, foldSpelling, isComparable, isMisspelling, unquote } from './spelling.ts'
import type { Reading } from './vocabulary.ts'

/** Maximum length of a list whose items are read one by one. */
const maxItems = 1_000
/** Limits on text read as a list or as arguments: the limits on a request do not apply inside its strings. */
const maxTextLength = 200_000
const textLimits = { maxDepth: 128, maxMembers: 10_000, maxContainers: 100_000 }
/** Maximum number of meanings in a `Reading`. */
const maxPossible = 5

/** The value's meaning, in a form that the parameter accepts; null to omit the parameter; undefined if no meaning is known. */
export function readValue(parameter: Parameter, written: unknown, today: string): Reading | undefined {
  if (parameter.accepts(written)) return { equal: written }
  for (const read of readers) {
    const reading = acceptedOf(read(parameter, written, today), parameter)
    if (reading) return reading
  }
  return undefined
}

/** A value's meaning in a call: in an update, "+3d" may count from the present date. */
export function readFor({ effect, today }: { effect?: string | undefined; today: string }, parameter: Parameter, written: unknown) {
  const reading = readValue(parameter, written, today)
  const isShift = effect === 'update' && parameter.json['format'] === 'date' && /^\s*\+/.test(String(written))
  return isShift && reading && 'likely' in reading ? { possible: [reading.likely] } : reading
}

/** The ways to read a value, most certain first. */
const readers: readonly (typeof readAsList)[] = [readAsWords, readAsAbsent, readAsList, readAsScalar, readAsRecord, readAsType]

/** The part of a reading that the parameter accepts. */
function acceptedOf(reading: Reading | undefined, { accepts, isRequired }: Parameter): Reading | undefined {
  if (reading === undefined) return undefined
  const isUsable = (value: unknown) => (value === null ? !isRequired : accepts(value))
  if ('equal' in reading) return isUsable(reading.equal) ? reading : undefined
  if ('likely' in reading) return isUsable(reading.likely) ? reading : undefined
  const possible = reading.possible.filter(isUsable).slice(0, maxPossible)
  return possible.length > 0 ? { possible } : undefined
}

/** Omits a parameter whose value is a word for nothing, unless the word may mean "clear", a flag's no, or more than a limit's default. */
function readAsAbsent({ vocabulary, isRequired, json }: Parameter, written: unknown): Reading | undefined {
  const isAbsent = (isNothing(written) || (json['default'] === undefined && isFiller(written))) && json['type'] !== 'boolean'
  return isAbsent && !isRequired && vocabulary.isNothingAbsent === true ? { likely: null } : undefined
}

/** True for text that means "no value". */
export function isNothing(written: unknown): boolean {
  const isWord = (text: string) => /^(?:no|nothing|empty|unset|clear|remove|delete|not set|n\/a|-+)$/i.test(text.trim())
  return typeof written === 'string' && (isPlaceholder(written) || isWord(written))
}

/** A word from the parameter's vocabulary, or one of its values spelled differently. */
function readAsWords(parameter: Parameter, written: unknown, today: string): Reading | undefined {
  if (typeof written !== 'string' && typeof written !== 'number' && typeof written !== 'boolean') return undefined
  const { values = {}, read } = parameter.vocabulary
  const folded = foldSpelling(String(written))
  const same = allowedValues(parameter).filter((value) => foldSpelling(String(value)) === folded)
  if (same.length === 1) return { equal: same[0] }
  const synonym = Object.entries(values).find(([word]) => foldSpelling(word) === folded)
  return synonym ? { likely: synonym[1] } : read?.(written, today)
}

/** One value where a list is expected, or a list of one for a single value. */
function readAsList(parameter: Parameter, written: unknown, today: string): Reading | undefined {
  const { item } = parameter
  if (!Array.isArray(written)) return readAsItems(parameter, written, today)
  const items: readonly unknown[] = written
  if (item) return readItems(item, items, today)
  if (items.length === 1) return Array.isArray(items[0]) ? undefined : readValue(parameter, items[0], today)
  if (parameter.vocabulary.isWords === true && items.every((each) => typeof each === 'string')) return { likely: items.join(' ') }
  // Only one item can be given, and it is unclear which.
  const meant = (each: unknown) => Object.values(readValue(parameter, each, today) ?? {}).flat()
  return items.length <= maxPossible ? { possible: items.flatMap(meant) } : undefined
}

/** True for text too large to read as a list or arguments. */
export function isTooLarge(text: string): boolean {
  return text.length > maxTextLength || excessOf(text, textLimits) !== undefined
}

/** One value, or text with several, for a list. */
function readAsItems({ item, json }: Parameter, written: unknown, today: string): Reading | undefined {
  if (!item) return undefined
  // If the parameter also takes a single value, it has already refused this one.
  const one = () => (json['type'] === 'array' ? readItems(item, [written], today) : undefined)
  if (typeof written !== 'string') return one()
  if (isTooLarge(written)) return undefined
  const parsed = parseJson(written)
  if (Array.isArray(parsed)) return readItems(item, parsed, today)
  const loose = readLooseJson(written)
  if (Array.isArray(loose)) return unsure(readItems(item, loose, today))
  const parts = (/^\s*\[(.*)\]\s*$/s.exec(written)?.[1] ?? written).split(/[,;\n]/).map((part) => part.trim())
  const isSeveral = parts.length > 1 && !parts.includes('')
  const several = isSeveral ? readItems(item, parts, today) : undefined
  // The comma may belong to a name, but not to an enumerated value.
  return (allowedValues(item).length === 0 ? unsure(several) : several) ?? one()
}

/** A reading that the caller has to confirm. */
function unsure(reading: Reading | undefined): Reading | undefined {
  return reading && 'equal' in reading ? { likely: reading.equal } : reading
}

/** A list is as certain as its least certain item. If an item is ambiguous, nothing is proposed. */
function readItems(item: Parameter, items: readonly unknown[], today: string): Reading | undefined {
  if (items.length > maxItems) return undefined
  const values: unknown[] = []
  let isLikely = false
  for (const each of items) {
    const reading = readValue(item, each, today)
    if (reading === undefined) return undefined
    if ('possible' in reading) return items.length === 1 ? { possible: reading.possible.map((value) => [value]) } : undefined
    isLikely ||= 'likely' in reading
    values.push('likely' in reading ? reading.likely : reading.equal)
  }
  return isLikely ? { likely: uniqueValues(values) } : { equal: values }
}

const truths: Readonly<Record<string, boolean>> = { yes: true, on: true, 1: true, no: false, off: false, 0: false }

/** A number or boolean given as text, a number given for text, or text without the white space around it. */
function readAsScalar(parameter: Parameter, written: unknown): Reading | undefined {
  const type = parameter.json['type']
  if (type === 'string') {
    // An unsafe integer has already lost digits in parsing.
    if (Number.isInteger(written) ? Number.isSafeInteger(written) : Number.isFinite(written)) return { equal: String(written) }
    return typeof written === 'string' ? { equal: written.trim() } : undefined
  }
  if (type === 'boolean') {
    const text = typeof written === 'string' || typeof written === 'number' ? foldSpelling(String(written)) : ''
    if (text === 'true' || text === 'false') return { equal: text === 'true' }
    return Object.hasOwn(truths, text) ? { likely: truths[text] } : undefined
  }
  if (typeof written !== 'string') return undefined
  const digits = unquote(written)
  // "1.234" is more than a thousand in one country, and little more than one in another.
  const readWithout = (mark: string) => Number(digits.replace(mark, '').replace(',', '.'))
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return { possible: [readWithout(','), readWithout('.')] }
  const [, before, amount, unit] =
    /^((?:top|first|max|up to) )?(\d{1,6})( ?(?:point|pt|char|character|item|result|issue|file|row|entrie|hit|folder|document)s?)?$/i.exec(
      digits,
    ) ?? []
  if ((before ?? unit) !== undefined) return { likely: Number(amount) }
  return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(digits) ? { equal: Number(digits) } : undefined
}

/** Keys that identify a record, most exact first. */
const identifying = 'id identifier key email emailAddress name displayName display_name username login value'.split(' ')
/** All keys that do not change what a record means. */
const describing = new Set([...identifying, 'type', 'url', 'title', 'accountId', 'color', '__typename'])

/** A record given instead of its name: `{ "name": "Bug" }`. */
function readAsRecord(parameter: Parameter, written: unknown, today: string): Reading | undefined {
  const [[key, held] = ['', undefined], ...others] = isObject(written) ? Object.entries(written) : []
  const isOwn = key === 'path' || readName(key, [parameter]).some(({ isClear }) => isClear)
  if (isOwn && others.length === 0) return unsure(readValue(parameter, held, today))
  if (!isObject(written) || !Object.keys(written).every((name) => describing.has(name))) return undefined
  const members = identifying.map((name) => written[name])
  const values = members.filter((value) => typeof value === 'string').filter((value) => value.trim() !== '')
  // Digits are another product's id: `{ "id": "31", "name": "Done" }`.
  const first = values.find((value) => !/^\d+$/.test(value)) ?? values[0]
  if (first === undefined) return undefined
  return [written['name'], written['value']].includes(first) ? unsure(readValue(parameter, first, today)) : { likely: first }
}

/** A date in a different form, a misspelt value, or a number above its maximum. */
function readAsType(parameter: Parameter, written: unknown, today: string): Reading | undefined {
  const { json } = parameter
  if (json['format'] === 'date') return readDate(written, today)
  const maximum = json['maximum']
  const number = readAsScalar(parameter, written)
  const value = typeof written === 'number' ? written : number && 'equal' in number ? number.equal : undefined
  // Programs write 0 or -1 for no limit.
  if (parameter.name === 'limit' && (value === 0 || value === -1) && !parameter.isRequired) return { likely: null }
  // A value above the maximum can only mean the maximum; one below the minimum may mean anything.
  if (Number(value) > Number(maximum) || (maximum !== undefined && everything.test(String(written)))) return { likely: maximum }
  if (json['type'] === 'integer' && typeof value === 'number') return { possible: [Math.floor(value), Math.ceil(value)] }
  return typeof written === 'string' ? readMisspelt(parameter, written) : undefined
}

/** Words that ask for as much as there is. */
const everything = /^\s*(?:all|max(?:imum)?|unlimited|infinit[ey]|no limit|everything)\s*$/i

function readMisspelt(parameter: Parameter, written: string): Reading | undefined {
  const { values = {} } = parameter.vocabulary
  if (!isComparable(written) || isCondition(written)) return undefined
  const allowed = allowedValues(parameter).map((value) => [String(value), value] as const)
  // Text can resemble a synonym and yet reverse the value: `unid` is close to `uuid`, a synonym for `id`.
  const isReversed = (value: unknown) => typeof value === 'string' && isReversal(written, value)
  const words = new Map<string, unknown>([...Object.entries(values), ...allowed].filter(([, value]) => !isReversed(value)))
  // In a code, one letter makes a difference: `image/gif` is not a typo for `image/tif`.
  const misspelt = [...words].filter(([word]) => !/[/.:\d]/.test(word) && isMisspelling(written, word))
  const meant = uniqueValues(misspelt.map(([, value]) => value))
  if (meant.length === 1) return { likely: meant[0] }
  const near = closest(written, [...words.keys()]).map(({ value }) => words.get(value))
  return { possible: uniqueValues([...meant, ...near]).filter((value) => value !== null) }
}

/** `>= high` and `low+` mean values other than the one they name. */
function isCondition(written: string): boolean {
  return /[<>≤≥*=!]|^\+|\+$/.test(written.normalize('NFKC').trim())
}

function uniqueValues(values: readonly unknown[]): unknown[] {
  return values.filter((value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index)
}
