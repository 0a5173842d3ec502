import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import type { ErrorBody } from '@mcp-toolkits/core/errors'
import { isMisspelling } from '@mcp-toolkits/core/references'
import { flagOf, type UnknownFlag } from '../call/call-line.ts'

/** A call with the names that its tool knows. */
export interface RenamedCall {
  readonly args: JsonObject
  readonly notice: string
}

/**
 * The call with unknown flags renamed to the parameters that they mean. Undefined unless the tool's proposed correction does nothing but
 * rename flags: if it also changes a value, or a flag is misspelt, a person must agree.
 */
export function withKnownNames(args: unknown, unknown: readonly UnknownFlag[], { next }: ErrorBody): RenamedCall | undefined {
  const { change } = next ?? {}
  if (!isObject(args) || !change) return undefined
  const targets = Object.entries(change).filter(([, value]) => value !== null)
  const pairs = unknown.flatMap((flag) => {
    const [target, ...more] = targets.filter(([, value]) => isSameValue(value, flag.text))
    return target && more.length === 0 && change[flag.name] === null && !isMisspelling(flag.name, target[0]) ? [{ flag, target }] : []
  })
  const isComplete = pairs.length === unknown.length && Object.keys(change).length === 2 * unknown.length
  if (!isComplete || new Set(pairs.map(({ target }) => target[0])).size < pairs.length) return undefined
  const renamed = pairs.map(({ flag, target: [name] }) => `${flagOf(flag.name)} means ${flagOf(name)}`)
  const changed = Object.entries({ ...args, ...change }).filter(([, value]) => value !== null)
  return { args: Object.fromEntries(changed), notice: `Assuming ${renamed.join(', ')}.` }
}

/** True if a value is the typed text, perhaps converted or alone in a list. */
function isSameValue(value: unknown, text: string): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.length === 1 && String(values[0]) === text
}
