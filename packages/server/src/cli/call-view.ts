import { shellQuote } from '@mcp-toolkits/auth/account'
import type { ErrorBody, NextStep } from '@mcp-toolkits/core'
import { isObject, type JsonObject, member } from '@mcp-toolkits/core/json'
import { printable } from '@mcp-toolkits/core/printable'
import { redact } from '@mcp-toolkits/core/redaction'
import type { ListedTool, ServerDefinition } from '../definition.ts'
import { type Console, write } from './command.ts'
import { withInvocation, invocationOf } from './invocation.ts'
import { flagsOf } from './call-line.ts'
import { View } from './view.ts'

/** A call that is over. */
export interface ShownCall {
  readonly definition: Pick<ServerDefinition<never>, 'name' | 'prefix'>
  readonly tool: ListedTool
  readonly args: unknown
}

const text = (value: string) => printable(redact(value))

/** Shows the result of a call at a terminal. Returns whether the terminal has taken it. */
export async function showResult(call: ShownCall, data: JsonObject, console: Console): Promise<boolean> {
  const view = new View(console.output)
  const { notices, pagination, upstream, ...record } = data
  const lines = view.record(record)
  const list: readonly unknown[] = Array.isArray(notices) ? notices : []
  const cursor = member(pagination, 'has_more') === true ? member(pagination, 'end_cursor') : undefined
  const given = isObject(call.args) ? call.args : {}
  const more = typeof cursor === 'string' ? [`More: ${commandOf(call, { ...given, end_cursor: cursor }, console)}`] : []
  const footer = [
    ...list.map((notice) => view.style('yellow', text(String(notice)))),
    ...(typeof upstream === 'string' ? [view.style('dim', text(upstream))] : []),
    ...more.map((line) => view.style('dim', line)),
  ]
  const body = lines.length === 0 ? ['Done.'] : lines
  return write(console.output, [...body, ...(footer.length > 0 ? ['', ...footer] : [])].join('\n'))
}

/** Shows why a call failed, and what to do next. */
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

/** What to type next. */
function nextLines(call: ShownCall, { tool, arguments: args, change, command, url }: NextStep, console: Console): string[] {
  const given = isObject(call.args) ? call.args : {}
  const other = tool === undefined ? call : { ...call, tool: { name: tool.replace(new RegExp(`^${call.definition.prefix}[._]`), '') } }
  return [
    ...(command === undefined ? [] : [withInvocation(call.definition, console)(command)]),
    ...(url === undefined ? [] : [url]),
    ...(tool !== undefined || change ? [commandOf(other, { ...(args ?? (change ? given : {})), ...change }, console)] : []),
  ]
}

function commandOf(
  { definition, tool }: Pick<ShownCall, 'definition'> & { readonly tool: Pick<ListedTool, 'name'> },
  args: JsonObject,
  console: Console,
): string {
  return text([invocationOf(definition, console), 'call', shellQuote(tool.name), ...flagsOf(args)].join(' '))
}
