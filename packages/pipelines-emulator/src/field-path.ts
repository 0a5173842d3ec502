import { isObject, type JsonObject } from './checks.ts'

/** The value at a dotted path of a call. */
export function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), call)
}

/** Whether something is there; official clients leave an id empty to say that there is none. */
export function isPresent(call: JsonObject, path: string): boolean {
  const value = valueAt(call, path)
  return value !== undefined && value !== null && value !== ''
}
