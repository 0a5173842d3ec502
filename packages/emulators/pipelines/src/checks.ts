import { isObject, type JsonObject } from '@mcp-toolkits/emulator'

/** A problem for which the vendor refuses a value, or a note about an accepted value. */
export interface CheckResult {
  readonly kind: 'problem' | 'note'
  readonly text: string
}

/** Checks the value at a path, which names it in findings. */
export type Check = (value: unknown, path: string) => readonly CheckResult[]

/** Checks for an object's fields; absent fields and unlisted ones pass. */
export type Fields = Readonly<Record<string, Check>>

export const problem = (text: string): readonly CheckResult[] => [{ kind: 'problem', text }]
export const note = (text: string): readonly CheckResult[] => [{ kind: 'note', text }]

const check =
  (isValid: (value: unknown) => boolean, expected: string): Check =>
  (value, path) =>
    isValid(value) ? [] : problem(`${path} must be ${expected}, got ${kindOf(value)}`)

export const text = check((value) => typeof value === 'string', 'text')
export const flag = check((value) => typeof value === 'boolean', 'true or false')
export const object = check(isObject, 'an object')
export const textOrInteger = check((value) => typeof value === 'string' || Number.isInteger(value), 'text or a whole number')
export const dateTime = check(
  (value) => typeof value === 'string' && isDateTime(value),
  'an ISO 8601 date-time such as "2026-01-31T09:30:00Z"',
)
export const oneOf = (...values: readonly string[]) => check((value) => values.some((one) => one === value), `one of ${values.join(', ')}`)

/** Text; a number passes with a note, because official clients send numbers. */
export const id: Check = (value, path) =>
  typeof value === 'number' ? note(`${path} is a number; the vendor declares text`) : text(value, path)

/** A field that the service sets; a client's value has no effect. */
export const readOnly: Check = (_, path) => note(`${path} is set by the service and was ignored`)

export const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path)

export const shape =
  (fields: Fields): Check =>
  (value, path) =>
    isObject(value) ? checkFields(fields, value, `${path}.`) : object(value, path)

export const mapOf =
  (check: Check): Check =>
  (value, path) =>
    isObject(value) ? Object.entries(value).flatMap(([key, entry]) => check(entry, `${path}.${key}`)) : object(value, path)

export const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => check(entry, `${path}[${index}]`))
      : problem(`${path} must be an array, got ${kindOf(value)}`)

/** The findings about an object's fields; `prefix` is put before the field names. */
export function checkFields(fields: Fields, value: JsonObject, prefix = ''): readonly CheckResult[] {
  return Object.entries(fields).flatMap(([name, check]) => (Object.hasOwn(value, name) ? check(value[name], prefix + name) : []))
}

/** The kind of a JSON value; never the value itself, which may be personal data. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const names: Readonly<Record<string, string>> = { object: 'an object', string: 'text', number: 'a number', boolean: 'a boolean' }
  return names[typeof value] ?? 'nothing'
}

const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/i

/** True for an RFC 3339 time whose day exists in its month. */
function isDateTime(value: string): boolean {
  const parts = dateTimePattern.exec(value)
  if (parts === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part) => Number(part || 0))
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= days
  return isDate && hour < 24 && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60
}

/** The value at a dotted path in a call. */
export function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), call)
}

/** True if a call has a value; official clients send an empty id if they have none. */
export function isPresent(call: JsonObject, path: string): boolean {
  const value = valueAt(call, path)
  return value !== undefined && value !== null && value !== ''
}
