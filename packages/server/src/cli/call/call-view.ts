import { shellQuote } from '../../account/account.ts'
import { isObject, type JsonObject, member } from '@mcp-toolkits/core/base'
import { type ErrorBody, type NextStep, printable, redact } from '@mcp-toolkits/core/errors'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { type Console, write } from '../command.ts'
import { withInvocation, invocationOf } from '../invocation.ts'
import { withoutPrefix } from '../../mcp/listing/listing.ts'
import { wordsOf } from './call-line.ts'
import { View } from '../view.ts'

/** A finished call. */
export interface ShownCall {
  readonly definition: Pick<ServerDefinition<never>, 'name' | 'prefix' | 'listedTools' | 'extensions'>
  readonly tool: ListedTool
  readonly args: unknown
  /** The typed options, as words: those that every command takes, and those only for this call. */
  readonly options: { readonly general: readonly string[]; readonly own: readonly string[] }
}

const text = (value: string) => printable(redact(value))

/** Shows a call's result on a terminal. Returns true if it has been written. */
export async function showResult(call: ShownCall, data: JsonObject, console: Console): Promise<boolean> {
  const view = new View(console.output)
  const { notices, pagination, upstream, ...record } = data
  const lines = view.record(record)
  const list: readonly unknown[] = Array.isArray(notices) ? notices : []
  const cursor = member(pagination, 'has_more') === true ? member(pagination, 'end_cursor') : undefined
  const given = isObject(call.args) ? call.args : {}
  const next = typeof cursor === 'string' ? commandOf(call, { ...given, end_cursor: cursor }, console) : []
  const more = next.map((command) => `More: ${command}`)
  const footer = [
    ...list.map((notice) => view.style('yellow', text(String(notice)))),
    ...(typeof upstream === 'string' ? [view.style('dim', text(upstream))] : []),
    ...more.map((line) => view.style('dim', line)),
  ]
  const body = lines.length === 0 ? ['Done.'] : lines
  return write(console.output, [...body, ...(footer.length > 0 ? ['', ...footer] : [])].join('\n'))
}

/** Shows a call's error, and the next step. */
export async function showError(call: ShownCall, error: ErrorBody, console: Console): Promise<void> {
  const view = new View(console.errors)
  const { code, message, suggestions = [], next, retry_after_seconds: seconds } = error
  const spell = withInvocation(call.definition, console)
  const rows = suggestions.map(({ value, ...rest }) => ({ value, ...rest }))
  const lines = [
    `${view.style(['bold', 'red'], `Error (${code}):`)} ${text(spell(message))}`,
    ...(seconds === undefined ? [] : [`Try again in ${seconds} s.`]),
    ...(rows.length > 0 ? ['', ...view.table(rows)] : []),
    ...(next ? ['', ...nextLines(call, next, console).map((line) => `${view.style(['bold', 'green'], 'Next:')} ${text(line)}`)] : []),
  ]
  await write(console.errors, lines.join('\n'))
}

/** Lines that tell the person what to type next. */
function nextLines(call: ShownCall, { tool: name, arguments: args, change, command, url }: NextStep, console: Console): string[] {
  const given = isObject(call.args) ? call.args : {}
  const tool = name === undefined ? call.tool : findTool(call, name)
  const { general, own } = call.options
  const options = { general, own: tool === call.tool ? own : [] }
  return [
    ...(command === undefined ? [] : [withInvocation(call.definition, console)(command)]),
    ...(url === undefined ? [] : [url]),
    ...(tool && (name !== undefined || change)
      ? commandOf({ ...call, tool, options }, { ...(args ?? (change ? given : {})), ...change }, console)
      : []),
  ]
}

const findTool = ({ definition: { prefix, listedTools } }: ShownCall, name: string) =>
  listedTools.find((each) => each.name === withoutPrefix(name, prefix))

/** The command that makes a call, or an empty list if it would contain a secret: with the secret hidden, it would make a different call. */
function commandOf({ definition, tool, options: { general, own } }: ShownCall, args: JsonObject, console: Console): string[] {
  const present = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined))
  const words = ['call', tool.name, ...wordsOf(present, tool, definition), ...own, ...general].map(shellQuote)
  const command = [invocationOf(definition, console), ...words].join(' ')
  return text(command) === command ? [command] : []
}
