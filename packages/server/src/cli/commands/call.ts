import { existsSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { shellQuote } from '../../account/account.ts'
import { isObject, raceAbort } from '@mcp-toolkits/core/base'
import { type ErrorBody, quote, redact } from '@mcp-toolkits/core/errors'
import type { Answer } from '../../mcp/answers/answer.ts'
import { Delivery } from '../../mcp/calls/current-request.ts'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { listing } from '../../mcp/listing/listing.ts'
import { openToolbox, type Toolbox } from '../../mcp/calls/toolbox.ts'
import { print, printJson, runInterruptibly, UsageError, type CommandLine, type Console } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import type { ShownCall } from '../call/call-view.ts'
import { findTool, flagOf, optionWords, readToolArguments, type UnknownFlag } from '../call/call-line.ts'
import type { Input } from '../call/input.ts'
import { misspeltVariables, seedWarnings } from '../checks/settings-warnings.ts'
import { withInvocation } from '../invocation.ts'

const replayNotice = 'This is the result of an earlier call with the same idempotency key. Nothing was done again.'

/** Makes one call: prints the result, or the error on standard error with exit code 1. Programs get both as JSON. */
export const call: Command = async (definition, line, console) => {
  const { operands, settings, input: file } = line
  const [name] = operands
  if (name === undefined) throw new UsageError("call needs a tool: call <tool> [--NAME VALUE … | '<json>'].")
  const tool = await findTool(definition, listing(definition, settings), name, { json: line.json, console })
  const { args, unknown } = await readArguments(line, tool, console)
  return runInterruptibly(console, async ({ signal }) => {
    const planned = { line, tool, args, unknown, settings, signal }
    if (file === undefined) return makeCall(definition, planned, console)
    const { openInput } = await import('../call/input.ts')
    const input = await openInput(definition, { settings, tool, args }, { file, input: console.input, signal })
    try {
      return await makeCall(definition, { ...planned, ...input }, console)
    } finally {
      await input.close()
    }
  })
}

interface PlannedCall extends Pick<Input, 'settings'>, Partial<Pick<Input, 'completed'>> {
  readonly line: CommandLine
  readonly tool: ListedTool
  /** As they were written. */
  readonly args: unknown
  readonly unknown: readonly UnknownFlag[]
  readonly signal: AbortSignal
}

async function makeCall<Context>(definition: ServerDefinition<Context>, planned: PlannedCall, console: Console): Promise<number> {
  const { line, tool, args: written, settings, signal } = planned
  const { logLevel } = line
  const perform = performer(definition, planned, console)
  const toolbox = openToolbox(definition, settings, {
    log: logTo(definition, console, logLevel === 'info' ? 'error' : logLevel),
    filter: redact,
  })
  if (line.issuer !== undefined) await (await import('./status.ts')).printAccountNote(definition, line, console)
  const odd = [
    ...(await misspeltVariables(definition, console.environment)),
    ...seedWarnings({ settings, isEmbedded: !toolbox.usesAccount }),
  ]
  if (odd.length > 0) await print(console.errors, odd.join('\n'))
  const delivery = new Delivery()
  try {
    const { answer, args, isPrinted } = await perform(toolbox, delivery)
    const shown = { definition, tool, args, options: typedOptions(line) }
    delivery.end(isPrinted || (await printAnswer(shown, answer, { console, asJson: line.json })))
    if (answer.ok && answer.content && line.output === undefined) await print(console.errors, contentNotice)
    if (answer.ok && answer.isReplay) await print(console.errors, replayNotice)
    await printFileNotes(written, console)
    await waitForPages(toolbox, { console, signal })
    return answer.ok ? 0 : 1
  } finally {
    delivery.end(false)
    await toolbox.close()
  }
}

const contentNotice = 'The content is not shown. --output FILE writes it to a file, and --output - prints it.'

interface Performed {
  readonly answer: Answer
  /** As they were written, under the names that the tool knows. */
  readonly args: unknown
  /** Whether what the call is for has been printed already. */
  readonly isPrinted: boolean
}

/** What makes the call: with a line of progress at a terminal, and again where a flag was another name of a parameter. Throws `UsageError`. */
function performer<Context>(
  definition: ServerDefinition<Context>,
  { line, tool, args: written, unknown, signal, completed }: PlannedCall,
  console: Console,
) {
  const { output, idempotencyKey: key, json } = line
  const { args, given } = completed ?? { args: written, given: written }
  const target = output === undefined ? undefined : downloadFor(definition, { tool, output })
  const isPrinted = target?.file === '-'
  if (isPrinted && json) throw new UsageError('--output - prints the content, so it does not go with --json.')
  return async (toolbox: Toolbox, delivery: Delivery): Promise<Performed> => {
    const progress = console.errors.isTTY ? (await import('../call/progress-line.ts')).progressLine(console.errors) : undefined
    const options = { signal, key, givenArguments: given, delivery, ...(progress && { progress: progress.report }) }
    const perform = async (callArgs: unknown) => {
      try {
        if (!target) return await toolbox.call(tool, callArgs, options)
        const request = { ...target, args: callArgs, toolbox }
        if (!isPrinted) return await (await import('./download.ts')).download(request, options)
        return await (await import('../call/print-content.ts')).printContent(request, options, console)
      } finally {
        progress?.clear()
      }
    }
    const answer = await perform(args)
    const [refused] = unknown
    if (answer.ok || !refused) return { answer, args: written, isPrinted: isPrinted && answer.ok }
    const { withKnownNames } = await import('../options/other-names.ts')
    const [renamed, shown] = [args, written].map((each) => withKnownNames(each, unknown, answer.error))
    if (!renamed || !shown) throw refused.error
    await print(console.errors, renamed.notice)
    const second = await perform(renamed.args)
    return { answer: second, args: shown.args, isPrinted: isPrinted && second.ok }
  }
}

/** The options that were typed, for a command that does the same. */
function typedOptions({ forwarded, input, output, idempotencyKey }: CommandLine): ShownCall['options'] {
  const own = Object.entries({ input, output, 'idempotency-key': idempotencyKey })
  return { general: forwarded, own: own.flatMap(([name, value]) => (value === undefined ? [] : optionWords(`--${name}`, value))) }
}

/** Says where a text was taken as it is, although other programs read a file for it. */
async function printFileNotes(args: unknown, console: Console): Promise<void> {
  for (const [name, value] of Object.entries(isObject(args) ? args : {})) {
    if (typeof value !== 'string' || !/^@[^\n]+$/.test(value) || !existsSync(value.slice(1))) continue
    const flag = flagOf(name)
    const command = `${flag} "$(cat ${shellQuote(value.slice(1))})"`
    await print(console.errors, `${flag} is ${quote(value)} itself, and not the text of that file. To give it the text: ${command}`)
  }
}

/** Prints the answer: for a person at a terminal, otherwise as JSON. Returns whether a result has been printed. */
async function printAnswer(
  call: ShownCall,
  answer: Answer,
  { console, asJson }: { readonly console: Console; readonly asJson: boolean },
): Promise<boolean> {
  const { output, errors } = console
  if (!asJson && output.isTTY === true && (answer.ok || errors.isTTY === true)) {
    const { showError, showResult } = await import('../call/call-view.ts')
    if (answer.ok) return showResult(call, answer.data, console)
    await showError(call, answer.error, console)
    return false
  }
  if (answer.ok) return printJson(output, answer.data, 2)
  await printJson(errors, { error: spelledError(answer.error, withInvocation(call.definition, console)) }, 2)
  return false
}

/** An error that names the command as it was started. */
function spelledError({ message, next, ...error }: ErrorBody, spell: (text: string) => string): ErrorBody {
  const command = next?.command
  return {
    ...error,
    message: spell(message),
    ...(next && { next: { ...next, ...(command !== undefined && { command: spell(command) }) } }),
  }
}

/**
 * A page that the call opened closes with the command. In a terminal the command waits until the person has answered or interrupts it.
 */
async function waitForPages(toolbox: Toolbox, { console, signal }: { console: Console; signal: AbortSignal }): Promise<void> {
  const pages = await toolbox.pendingPages()
  if (!pages) return
  if (console.errors.isTTY !== true) {
    await print(console.errors, 'The page closed with this command. In a terminal, or in a server, it stays open until the person answers.')
    return
  }
  await print(console.errors, 'The page waits for an answer in a browser on this machine, and closes with this command. Ctrl-C gives up.')
  await raceAbort(pages.ended, signal)
}

function downloadFor<Context>(
  { name, prefix, downloads }: ServerDefinition<Context>,
  { tool, output }: { tool: ListedTool; output: string },
) {
  if (!downloads) throw new UsageError(`--output is only for tools that download files; ${name} has none.`)
  if (tool.name !== downloads.whole && tool.name !== downloads.part)
    throw new UsageError(`--output is for ${downloads.whole} and ${downloads.part}, not for ${tool.name}.`)
  return { tool, downloads, prefix, file: output }
}

/** The arguments of the call: flags, which override JSON, or what is piped in where there is neither. */
async function readArguments(
  { forTool, input }: CommandLine,
  tool: ListedTool,
  console: Console,
): Promise<{ readonly args: unknown; readonly unknown: readonly UnknownFlag[] }> {
  const { values, json, unknown } = readToolArguments(forTool, tool)
  const hasFlags = Object.keys(values).length > 0
  const text = json ?? (hasFlags || input !== undefined ? '' : await readPiped(console))
  const args = text.trim() === '' ? {} : parseArguments(text)
  if (!hasFlags) return { args, unknown }
  if (!isObject(args)) throw new UsageError('The JSON must be an object where flags are given too.')
  return { args: { ...args, ...values }, unknown }
}

async function readPiped({ input }: Console): Promise<string> {
  if ('isTTY' in input && input.isTTY) return ''
  return textOf(input)
}

function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    const hint = /^[{["]/.test(json.trim()) ? '' : ' Write them as --NAME VALUE, or as a JSON object in quotes.'
    throw new UsageError(`The arguments are not JSON: ${quote(json, 60)}.${hint}`)
  }
}
