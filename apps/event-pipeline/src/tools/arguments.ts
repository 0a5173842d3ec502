import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { InvalidInput, TooLarge, type ToolError, truncate, withDetails } from '@mcp-toolkits/core/errors'
import { enablingValues, type StrictnessParameter } from '../pipelines/calls.ts'
import { readDryRun } from './vocabulary.ts'

/** Names that request the opposite of strict validation. */
const relaxing = /disable|skip|bypass|without|ignore|permissive|lenient|relax|(?:^|_)(?:no|not|non|off|un)(?:_|$)/i

export interface Strictness {
  readonly strict: boolean
  /** Present if the caller may expect strict validation but will not get it. */
  readonly notice?: string
}

const disablingValues = ['', 'false', '0', 'no', 'off', 'none', 'null']

/**
 * Reads a strictness parameter. Strict validation is enabled by the documented value, in any case, with surrounding whitespace or one pair
 * of quotes, or by the same value in JSON. Everything else is permissive, as documented, with a notice if it looks like an attempt to be
 * strict.
 */
export function readStrictness({ name, enabling }: StrictnessParameter, argument: unknown): Strictness {
  if (argument === undefined || argument === null) return { strict: false }
  const text = (typeof argument === 'string' ? argument : JSON.stringify(argument)).trim()
  const value = (/^(["'])(.*)\1$/.exec(text)?.[2] ?? text).toLowerCase()
  if (value === enabling.toLowerCase()) return { strict: true }
  if (disablingValues.includes(value)) return { strict: false }
  const notice = `${name} ${JSON.stringify(truncate(text, 40))} does not enable strict validation on this tool, so the call was permissive. Pass "${enabling}" to enable it.`
  return { strict: false, notice }
}

/** Error for a call with wrong arguments, with the caller's meaning if it is clear. */
export function explainArguments(error: unknown, args: unknown, parameter: StrictnessParameter): unknown {
  if (!(error instanceof InvalidInput) || !isObject(args)) return error
  const isTrial = readDryRun(args['mode']) !== undefined || Object.keys(args).some((name) => /^dry_?run$/i.test(name) && isOn(args[name]))
  const told = isTrial ? new InvalidInput(error.text.and('There is no trial run: execute sends the body.'), error.details) : error
  return adaptStrictness(addMode(keepPermissive(told, args), args), args, parameter)
}

const isOn = (value: unknown) => /^(?:true|1|yes|on)$/i.test(String(value))

/** Keeps a call permissive, which is the default: an argument that asks for it is omitted, never turned into the opposite. */
function keepPermissive(error: InvalidInput, args: Readonly<Record<string, unknown>>): InvalidInput {
  const asked = Object.keys(args).filter((name) => relaxing.test(name))
  if (asked.length === 0) return error
  const { next, suggestions = [], ...details } = error.details
  const others = Object.entries(next?.change ?? {}).filter(([name]) => !name.startsWith('enable_') && !asked.includes(name))
  const change = { ...Object.fromEntries(others), ...Object.fromEntries(asked.map((name) => [name, null])) }
  const kept = suggestions.filter(({ value }) => !value.startsWith('enable_'))
  return new InvalidInput(error.text.and('Calls are permissive unless strict validation is enabled.'), {
    ...details,
    suggestions: kept,
    ...(asked.every((name) => isOn(args[name])) && { next: { change } }),
  })
}

/**
 * Adds a missing mode: with a body, the mode that executes it, because the other one ignores it; without a body, the schema comes first.
 */
function addMode(error: InvalidInput, args: Readonly<Record<string, unknown>>): InvalidInput {
  const { next: { tool, change = {} } = {}, suggestions = [] } = error.details
  if (tool !== undefined) return error
  // If there are several bodies to choose from, no single call can be proposed.
  const isOpen = suggestions.some(({ parameter }) => parameter === 'request_body')
  if (isOpen || (args['mode'] !== undefined && args['mode'] !== null)) return error
  const hasBody = 'request_body' in change || (args['request_body'] !== undefined && args['request_body'] !== null)
  const mode = hasBody ? 'execute' : 'get_request_schema'
  return new InvalidInput(error.text, { ...error.details, next: { change: { mode, ...change } } })
}

/**
 * Adapts the correction if the strictness has a different tool's name or value, or is any other word for yes: the corrected call must not
 * be permissive against the caller's will.
 */
function adaptStrictness(error: InvalidInput, args: JsonObject, parameter: StrictnessParameter): ToolError {
  const { name, enabling } = parameter
  const change = error.details.next?.change
  const written = change && name in change ? change[name] : isOn(args[name]) ? args[name] : undefined
  if (!change || written === undefined) return error
  const value = equivalentValue(parameter, written)
  if (value !== undefined) return withDetails(error, error.text, { ...error.details, next: { change: { ...change, [name]: value } } })
  const { suggestions = [] } = error.details
  return withDetails(error, error.text.and(`The value does not enable strict validation: pass ${name} "${enabling}".`), { suggestions })
}

/** The value for this tool that corresponds to a different tool's `argument`; undefined for a value that no tool accepts. */
function equivalentValue(parameter: StrictnessParameter, argument: unknown): unknown {
  if (isOn(argument) || enablingValues.some((enabling) => readStrictness({ ...parameter, enabling }, argument).strict))
    return parameter.enabling
  return readStrictness(parameter, argument).notice === undefined ? argument : undefined
}

/** The status for a refusal by strict validation, even if the call never left this machine. */
const refusedStatus = 400

/** Adds an HTTP status to an error about a body, as a strict call reports it. */
export function withStrictStatus(error: unknown): unknown {
  const isRefusal = error instanceof InvalidInput || error instanceof TooLarge
  if (!isRefusal || error.details.httpStatus !== undefined) return error
  return withDetails(error, error.text, { ...error.details, httpStatus: refusedStatus })
}
