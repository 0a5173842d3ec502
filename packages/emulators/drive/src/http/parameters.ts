import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/emulator'
import { invalidField, invalidParameter, parseError } from './errors.ts'

/** A request's parameters. */
export interface Params {
  readonly text: (name: string) => string | undefined
  /** A Boolean; `absent`, false by default, is the value of a parameter that is not given. */
  readonly flag: (name: string, absent?: boolean) => boolean
  readonly whole: (name: string, range: { readonly usual: number; readonly largest: number }) => number
}

export function parseParams({ searchParams }: URL): Params {
  // rclone sends empty parameters; they count as absent.
  const text = (name: string) => {
    const value = searchParams.get(name)
    return value === null || value === '' ? undefined : value
  }
  return {
    text,
    flag(name, absent = false) {
      const value = text(name)
      if (value === undefined) return absent
      if (value !== 'true' && value !== 'false') throw invalidParameter(name, `Invalid value '${value}'. Allowed values are: [true, false]`)
      return value === 'true'
    },
    whole(name, { usual, largest }) {
      const value = text(name)
      if (value === undefined) return usual
      const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
      if (number < 1 || number > largest)
        throw invalidParameter(name, `Invalid value '${value}'. Values must be within the range: [1, ${largest}]`)
      return number
    },
  }
}

/** The JSON object in a body; throws for anything else. */
export function parseObject(json: string): JsonObject {
  const sent = parseJson(json)
  if (!isObject(sent)) throw parseError()
  return sent
}

/** The same, for a method whose body may be empty. */
export const parseOptionalObject = (json: string): JsonObject => (json.trim() === '' ? {} : parseObject(json))

export const flag = (value: unknown): value is boolean => typeof value === 'boolean'

/** An optional member of a body, such as `file.name`; null counts as absent. Throws for a value of another type. */
export function memberOf<T>(sent: JsonObject, path: string, isValid: (value: unknown) => value is T): T | undefined {
  const name = path.slice(path.indexOf('.') + 1)
  const value = sent[name] ?? undefined
  if (value === undefined || isValid(value)) return value
  throw invalidField(path, `Invalid value for ${name}.`)
}
