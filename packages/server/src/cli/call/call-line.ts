import { readFileSync } from 'node:fs'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { isSystemError, printable, printableJson, quote } from '@mcp-toolkits/core/errors'
import { rank } from '@mcp-toolkits/core/references'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { type Listing, withoutPrefix } from '../../mcp/listing/listing.ts'
import { type Extended, fileOptionsOf } from '../../mcp/extension.ts'
import { options, optionsOf } from '../options/option-table.ts'
import { commandsWith } from '../options/command-options.ts'
import { type Console, print, UsageError } from '../command.ts'
import type { KnownOption } from '../failure.ts'

type CallOption = readonly [name: string, option: KnownOption[1] & { readonly key: string }]

/** The command line of `call`, divided into the command's part and its tool's part. */
export interface CallLine {
  readonly own: readonly string[]
  /** Everything after the tool's name that is not a command option, as typed. */
  readonly forTool: readonly string[]
}

/**
 * Divides the arguments of `call NAME …`: after the name, every option that `call` does not have belongs to the tool. Undefined for any
 * other command.
 */
export function divideCall(args: readonly string[], options: readonly CallOption[], server: Extended): CallLine | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const [command, tool] = tokens.filter((token) => token.kind === 'positional')
  if (command?.value !== 'call' || !tool) return undefined
  const ownOptions = options.filter(([, { key }]) => commandsWith(key, server)?.includes('call') ?? true)
  const own = args.slice(0, tool.index + 1)
  const forTool: string[] = []
  const rest = args.slice(tool.index + 1)
  for (let index = 0; index < rest.length; index += 1) {
    const arg = rest[index] ?? ''
    if (arg === '--') return { own, forTool: [...forTool, ...rest.slice(index)] }
    const option = ownOptions.find(([name, { short }]) => arg === `--${name}` || arg.startsWith(`--${name}=`) || arg === `-${short ?? '-'}`)
    if (!option) {
      forTool.push(arg)
      continue
    }
    const takesNext = option[1].type === 'string' && !arg.includes('=')
    own.push(...rest.slice(index, takesNext ? index + 2 : index + 1))
    if (takesNext) index += 1
  }
  return { own, forTool }
}

/** The reader that a command prints for. */
export interface Reader {
  readonly json: boolean
  readonly console: Pick<Console, 'errors'>
}

/** A tool's name without the parts that people leave out when typing it. */
const fold = (name: string) => name.toLowerCase().replaceAll(/[-_.]/g, '')

/**
 * Finds the tool for a typed name, in any case, with or without the prefix. Accepts a misspelling or a synonym, with a note, only if it can
 * mean just one tool, and that tool is read-only. Throws a `UsageError` that names the possible tools; programs get them as data.
 */
export async function findTool<Context>(
  definition: ServerDefinition<Context>,
  listing: Listing,
  name: string,
  { json, console }: Reader,
): Promise<ListedTool> {
  const { prefix } = definition
  const advertised = listing.tools.find((each) => [fold(each.name), fold(withoutPrefix(each.name, prefix))].includes(fold(name)))
  const tool = listing.find(name) ?? listing.find(`${prefix}.${name}`) ?? listing.find(advertised?.name ?? '')
  if (tool) return tool
  const { explanation, whyUnknown } = await import('../../mcp/listing/unknown-tool.ts')
  const { text, ...data } = await whyUnknown({ name }, definition, listing)
  // If there is a text, the name is no misspelling: the tool's toolset may be off.
  const meant = data.next && !data.next.change && text === undefined ? listing.find(data.next.tool) : undefined
  if (meant?.effect === 'read') {
    await print(console.errors, `Assuming ${quote(name)} means ${withoutPrefix(meant.name, prefix)}.`)
    return meant
  }
  const isSlip = data.next !== undefined && text === undefined
  const advice = isSlip
    ? `Did you mean ${withoutPrefix(data.next?.tool ?? '', prefix)}?`
    : explanation({ ...data, ...(text !== undefined && { text }) })
  const message = `There is no tool ${quote(name)}.${advice === undefined ? '' : ` ${advice}`}`
  const isForProgram = json || console.errors.isTTY !== true
  throw new UsageError(message, isForProgram && data.suggestions.length > 0 ? data : undefined, 'tools')
}

type Parameters = ReadonlyMap<string, JsonObject>

/** A tool's parameters with their schemas, in the schema's order. */
export function parametersOf({ inputSchema: { properties } }: Pick<ListedTool, 'inputSchema'>): Parameters {
  const entries = Object.entries(isObject(properties) ? properties : {})
  return new Map(entries.map(([name, schema]) => [name, isObject(schema) ? schema : {}]))
}

/** `--labels-to-add` */
export function flagOf(parameter: string): string {
  return `--${parameter.replaceAll('_', '-')}`
}

/** An option and its value, as words on a command line: one word if the value could be read as an option. */
export function optionWords(option: string, value: string): string[] {
  return value.startsWith('-') && value !== '-' ? [`${option}=${value}`] : [option, value]
}

/** Words to type after a tool's name for these arguments: flags, or JSON if flags would be misread or a terminal could not show them. */
export function wordsOf(args: JsonObject, tool: ListedTool, server: Extended): string[] {
  const words = Object.entries(args).flatMap(([parameter, value]) => {
    const flag = flagOf(parameter)
    if (typeof value === 'boolean') return [value ? flag : `--no-${flag.slice(2)}`]
    const values: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value]
    return values.flatMap((each) => optionWords(flag, typeof each === 'string' ? each : JSON.stringify(each)))
  })
  return isReadAs(args, words, { tool, server }) ? words : [printableJson(JSON.stringify(args))]
}

function isReadAs(args: JsonObject, words: readonly string[], { tool, server }: CalledTool): boolean {
  const own = callOptions(server)
  const isOwn = (word: string) => own.some((option) => word === option || word.startsWith(`${option}=`))
  if (words.some((word) => isOwn(word) || printable(word) !== word)) return false
  try {
    const { values, json, unknown } = readToolArguments(words, tool, server)
    return json === undefined && unknown.length === 0 && isDeepStrictEqual(values, args)
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

/** The types that a parameter accepts. */
export function typesOf({ type, anyOf }: JsonObject): readonly string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isObject(each) ? typesOf(each) : []))
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string')
}

/** The values allowed for a parameter, or for each item of its list; empty if any text is allowed. */
export function valuesOf({ enum: values, anyOf, items }: JsonObject): readonly string[] {
  if (Array.isArray(values)) return values.map(String)
  if (Array.isArray(anyOf)) return [...new Set(anyOf.flatMap((each) => (isObject(each) ? valuesOf(each) : [])))]
  return isObject(items) ? valuesOf(items) : []
}

/** Words typed after a tool's name. */
export interface ToolArguments {
  readonly values: JsonObject
  /** The call's JSON; undefined if there are only flags. */
  readonly json: string | undefined
  /** The flags among `values` that are not parameters. They may be other names for parameters that the tool recognizes. */
  readonly unknown: readonly UnknownFlag[]
}

/** A flag that is not one of the tool's parameters. */
export interface UnknownFlag {
  readonly name: string
  readonly text: string
  /** The error that proposes flags. */
  readonly error: UsageError
}

/**
 * Reads flags into a tool's arguments: `--title TEXT`, `--no-flag`, a list as repeated flags or JSON, `title=@FILE`. The tool itself checks
 * the values, and proposes corrections. Throws `UsageError`.
 */
export function readToolArguments(words: readonly string[], tool: ListedTool, server: Extended = {}): ToolArguments {
  const parameters = parametersOf(tool)
  const values = new Map<string, unknown>()
  const unknown: UnknownFlag[] = []
  const operands: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = withText(words[index] ?? '')
    if (word === '--') {
      operands.push(...words.slice(index + 1))
      break
    }
    if (!/^-+[A-Za-z]/.test(word)) {
      operands.push(word)
      continue
    }
    const { name, schema, text: inline, error } = readFlag(word, parameters, { tool, server })
    const next = words[index + 1]
    const text = inline ?? (next === undefined || /^-+[A-Za-z]/.test(next) || next === '--' ? undefined : next)
    if (text === undefined) throw error ?? needsValue(word, next)
    if (error) unknown.push({ name, text, error })
    add(values, { name, schema, word }, text)
    if (inline === undefined) index += 1
  }
  const [json, ...more] = operands
  if (more.length > 0) {
    const hint = 'Put the JSON, and any value with spaces, in quotes.'
    throw new UsageError(`Unexpected argument ${quote(more[0] ?? '')}: call takes one tool, its flags and at most one JSON object. ${hint}`)
  }
  return { values: Object.fromEntries(values), json, unknown }
}

/**
 * Turns `title=@FILE` into a flag with the file's text. The value of an ordinary flag never names a file: `@me` is an ordinary value, and
 * the text may be untrusted.
 */
function withText(word: string): string {
  const [, name, file = ''] = /^([A-Za-z][\w-]*)=@(.+)$/.exec(word) ?? []
  if (name === undefined) return word
  try {
    return `--${name}=${readFileSync(file, 'utf8')}`
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read (${isSystemError(error) ? error.code : String(error)}).`)
  }
}

/** A call's tool, and the server that has it. */
interface CalledTool {
  readonly tool: ListedTool
  readonly server: Extended
}

interface Flag {
  readonly name: string
  readonly schema: JsonObject
  /** Undefined if the value is the next word. */
  readonly text: string | undefined
  /** Present if no parameter has the name. */
  readonly error?: UsageError
}

function readFlag(word: string, parameters: Parameters, { tool, server }: CalledTool): Flag {
  const [option, value] = divide(word)
  const written = option.replace(/^-+/, '')
  const name = written.replaceAll('-', '_')
  const schema = parameters.get(name)
  if (schema) return { name, schema, text: value ?? (isFlag(schema) ? 'true' : undefined) }
  const negated = name.replace(/^no_/, '')
  const negatedSchema = negated === name ? undefined : parameters.get(negated)
  if (negatedSchema && isFlag(negatedSchema)) {
    if (value !== undefined) throw new UsageError(`--${written} takes no value.`)
    return { name: negated, schema: negatedSchema, text: 'false' }
  }
  return { name, schema: {}, text: value, error: unknownFlag(option, parameters, { tool, server }) }
}

/** An option, and the value written in the same word. */
function divide(word: string): readonly [option: string, value?: string] {
  const end = word.indexOf('=')
  return end === -1 ? [word] : [word.slice(0, end), word.slice(end + 1)]
}

const isFlag = (schema: JsonObject) => typesOf(schema).includes('boolean')

/** Minimum confidence at which a similar parameter is suggested. */
const minConfidence = 0.55
const maxSuggestions = 3

/** The options that every call has, for suggestions. */
function callOptions(server: Extended): string[] {
  const { json, idempotencyKey } = options
  const general = optionsOf(server).flatMap(([, option]) => (option.isGeneral === true ? [option] : []))
  return [json, idempotencyKey, ...fileOptionsOf(server), ...general].map(({ name }) => `--${name}`)
}

function unknownFlag(written: string, parameters: Parameters, { tool, server }: CalledTool): UsageError {
  const flags = [...parameters.keys()].map(flagOf)
  const known = [...flags, ...callOptions(server)]
  const bare = (text: string) => text.replace(/^-+(?:no-)?/, '').replaceAll('_', '-')
  const near = rank(bare(written), known.map(bare), { minConfidence }).map(({ index }) => known[index] ?? '')
  const parts = flags.filter((flag) => !near.includes(flag) && bare(flag).split('-').includes(bare(written)))
  const likely = [...near, ...parts].slice(0, maxSuggestions)
  const list = flags.length === 0 ? 'It takes none.' : `It takes ${flags.join(', ')}.`
  const suggestion = likely.length === 0 ? list : `Did you mean ${likely.join(' or ')}?`
  return new UsageError(`${tool.name} has no parameter ${quote(written)}. ${suggestion}`, undefined, `call ${tool.name} --help`)
}

function needsValue(word: string, next: string | undefined): UsageError {
  const hint = next === undefined ? '' : ` One that begins with a dash is written as ${word}=VALUE.`
  return new UsageError(`${word} needs a value.${hint}`)
}

/** Adds a value. For a parameter that takes a list, earlier values are kept. */
function add(values: Map<string, unknown>, flag: Pick<Flag, 'name' | 'schema'> & { readonly word: string }, text: string): void {
  const { name, schema, word } = flag
  const before = values.get(name)
  if (!typesOf(schema).includes('array')) {
    if (before !== undefined) throw new UsageError(`${divide(word)[0]} is given twice.`)
    values.set(name, valueOf(text, schema))
    return
  }
  const isString = typesOf(schema).includes('string')
  const list = /^\s*\[/.test(text) ? parseJson(text) : undefined
  const more: readonly unknown[] = Array.isArray(list) ? list : [text]
  if (before === undefined && more.length === 1 && isString && !Array.isArray(list)) values.set(name, text)
  else values.set(name, [...(before === undefined ? [] : [before].flat()), ...more])
}

/** Text converted to its parameter's type, if possible. */
function valueOf(text: string, schema: JsonObject): unknown {
  const types = typesOf(schema)
  if (types.includes('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (types.some((type) => type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (!types.includes('object')) return text
  const object = parseJson(text)
  return isObject(object) ? object : text
}
