import { InvalidInput, withDetails } from '@mcp-toolkits/core'
import { truncate } from '@mcp-toolkits/core/text'

/** The values that enable strict validation. Each tool accepts only the one in its documentation. */
const enablingValues = ['True', '1'] as const
export type EnablingValue = (typeof enablingValues)[number]

/** The name of a tool's strictness parameter, and the value that enables it. */
export interface StrictnessParameter {
  readonly name: 'enable_strict_validation' | 'enable_strict_mode'
  readonly enabling: EnablingValue
}

export interface Strictness {
  readonly strict: boolean
  /** Present when the caller may expect strict validation and does not get it. */
  readonly notice?: string
}

const disablingValues = ['', 'false', '0', 'no', 'off', 'none', 'null']

/**
 * Whether a value enables strict validation: the documented value, in any case, with white space or one pair of quotes around it, or
 * the same value in JSON. Everything else is permissive, as documented, with a notice where it looks like an attempt.
 */
export function readStrictness({ name, enabling }: StrictnessParameter, argument: unknown): Strictness {
  if (argument === undefined || argument === null) return { strict: false }
  const text = (typeof argument === 'string' ? argument : JSON.stringify(argument)).trim()
  const value = withoutQuotes(text).toLowerCase()
  if (value === enabling.toLowerCase()) return { strict: true }
  if (disablingValues.includes(value)) return { strict: false }
  const notice = `${name} was ${JSON.stringify(truncate(text, 40))}, which does not enable strict validation on this tool: the call ran in permissive mode. Pass "${enabling}" to enable it.`
  return { strict: false, notice }
}

/**
 * Adapts the correction of a call that used the parameter name of another tool: the corrected call must not pass a value that enabled
 * strict validation there and would be permissive here.
 */
export function adaptCorrection(error: unknown, parameter: StrictnessParameter): unknown {
  const { name, enabling } = parameter
  const change = error instanceof InvalidInput ? error.details.next?.change : undefined
  if (!(error instanceof InvalidInput) || !change || !(name in change)) return error
  const value = equivalentValue(parameter, change[name])
  if (value !== undefined) return withDetails(error, error.text, { ...error.details, next: { change: { ...change, [name]: value } } })
  const { suggestions = [] } = error.details
  return withDetails(error, error.text.and(`The value does not enable strict validation: pass ${name} "${enabling}".`), { suggestions })
}

/** The value for this tool that corresponds to `argument` of another tool; undefined for a value that no tool accepts. */
function equivalentValue(parameter: StrictnessParameter, argument: unknown): unknown {
  if (enablingValues.some((enabling) => readStrictness({ ...parameter, enabling }, argument).strict)) return parameter.enabling
  return readStrictness(parameter, argument).notice === undefined ? argument : undefined
}

function withoutQuotes(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
}
