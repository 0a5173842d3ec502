import path from 'node:path'
import { parseArgs } from 'node:util'
import { isSystemError, quote, storageFailure, ToolError } from '@mcp-toolkits/core/errors'
import { rank } from '@mcp-toolkits/core/references'
import type { ServerDefinition } from '../mcp/definition.ts'
import { commandNames } from './options/command-options.ts'
import { type Console, UsageError } from './command.ts'
import { invocationOf, withInvocation } from './invocation.ts'

/** An error's text for a person, and the exit code. */
export interface Failure {
  readonly text: string
  readonly code: 1 | 2
}

/** The text of an error that ended a command, with its remedy; undefined for a defect. */
export function failureOf(
  error: unknown,
  definition: Pick<ServerDefinition<never>, 'name'>,
  { console, dataDirectory }: { readonly console: Console; readonly dataDirectory: string | undefined },
): Failure | undefined {
  const spell = withInvocation(definition, console)
  if (error instanceof UsageError) {
    const data = error.data === undefined ? '' : `\n${JSON.stringify(error.data)}`
    const help = `${invocationOf(definition, console)} ${error.help}`
    return { text: `${spell(error.message)}${likelyValue(error.message)} Try \`${help}\`.${data}`, code: 2 }
  }
  const message = messageOf(error, dataDirectory)
  return message === undefined ? undefined : { text: spell(message), code: 1 }
}

function messageOf(error: unknown, dataDirectory: string | undefined): string | undefined {
  if (error instanceof ToolError) return error.message
  if (!isSystemError(error)) return undefined
  // Other system errors, such as one about a port, do not concern the data directory.
  const isAboutData = !('syscall' in error) || ('path' in error && dataDirectory !== undefined && isInside(error.path, dataDirectory))
  return isAboutData ? storageFailure(error, dataDirectory)?.message : error.message
}

function isInside(file: unknown, directory: string): boolean {
  return typeof file === 'string' && !path.relative(directory, file).startsWith('..')
}

/** Minimum confidence at which a similar name is suggested. */
const minConfidence = 0.55

/** Sentence that proposes the likeliest of an option's words. */
function likelyValue(message: string): string {
  const [, listed = '', written = ''] = /^\S+ must be (?:one of )?([^"]*), not "([^"]*)"\.$/.exec(message) ?? []
  const values = listed.split(/, | or /).filter((value) => /^[a-z][a-z-]*$/.test(value))
  return suggestionOf(written, values)
}

/** The name that a written word may have meant, as a question to append to a sentence; empty if none is similar. */
export function suggestionOf(written: string, names: readonly string[]): string {
  const [likely] = rank(written, names, { minConfidence })
  return likely === undefined ? '' : ` Did you mean ${likely.value}?`
}

/** The error that proposes a command for a word. */
export function unknownCommand(definition: Pick<ServerDefinition<never>, 'listedTools' | 'extensions'>, written: string): UsageError {
  const names = commandNames(definition)
  const tool = definition.listedTools.find(({ name }) => name.toLowerCase() === written.toLowerCase().replaceAll(/[-_]/g, ''))
  const suggestion = tool ? ` It is a tool: \`call ${tool.name}\` calls it.` : suggestionOf(written, names)
  return new UsageError(`There is no command ${quote(written)}.${suggestion} Commands: ${names.join(', ')}.`)
}

/** An option in the form for `parseArgs`. */
export type KnownOption = readonly [name: string, option: { readonly type: 'boolean' | 'string'; readonly short?: string }]

/** Reads a command line that looks invalid because an owner id begins with a hyphen, as one in 64 does. Otherwise throws `UsageError`. */
export async function readOwner<Parsed extends { readonly positionals: readonly string[] }>(
  args: readonly string[],
  known: readonly KnownOption[],
  read: (args: readonly string[]) => Promise<Parsed>,
): Promise<Parsed> {
  const isOwner = (arg: string) => /^-(?!-[a-z])[\w-]{42}$/.test(arg)
  if (!args.includes('people') || !args.some(isOwner)) throw new UsageError(optionProblem(args, known))
  const others = await read(args.filter((arg) => !isOwner(arg)))
  return { ...others, positionals: [...others.positionals, ...args.filter(isOwner)] }
}

/** The first mistake in the options of an invalid command line. */
function optionProblem(args: readonly string[], known: readonly KnownOption[]): string {
  const options = Object.fromEntries(known)
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const type = known.find(([each]) => each === name)?.[1].type
    if (type === undefined) return unknownOption(rawName, known)
    if (type === 'boolean' && value !== undefined) return `${rawName} takes no value.`
    if (type === 'string' && value === undefined) return `${rawName} needs a value.`
    if (type === 'string' && !inlineValue && value?.startsWith('-') === true)
      return `${rawName} needs a value. One that begins with a dash is written as --${name}=VALUE.`
  }
  return 'The options cannot be read.'
}

function unknownOption(written: string, known: readonly KnownOption[]): string {
  const names = known.map(([name]) => `--${name}`)
  return `There is no option ${quote(written)}.${suggestionOf(written, names)}`
}
