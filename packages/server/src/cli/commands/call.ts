import { existsSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { shellQuote } from '../../account/account.ts'
import { isObject, raceAbort } from '@mcp-toolkits/core/base'
import { type ErrorBody, joinWords, quote, redact } from '@mcp-toolkits/core/errors'
import type { Answer } from '../../mcp/answers/answer.ts'
import { Delivery } from '../../mcp/calls/current-request.ts'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { type CalledServer, type Extended, type FileCall, type FileOption, fileOptionsOf, type OpenFile } from '../../mcp/extension.ts'
import { listing } from '../../mcp/listing/listing.ts'
import { openToolbox, type Toolbox } from '../../mcp/calls/toolbox.ts'
import { print, printJson, runInterruptibly, UsageError, type CommandLine, type Console } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import type { ShownCall } from '../call/call-view.ts'
import { findTool, flagOf, optionWords, readToolArguments, type UnknownFlag } from '../call/call-line.ts'
import { misspeltVariables, seedWarnings } from '../checks/settings-warnings.ts'
import { withInvocation } from '../invocation.ts'

const replayNotice = 'This is the result of an earlier call with the same idempotency key. Nothing was done again.'

/** Makes one call: prints the result, or the error on standard error with exit code 1. Programs get both as JSON. */
export const call: Command = async (definition, line, console) => {
  const { operands, settings, files, json } = line
  const [name] = operands
  if (name === undefined) throw new UsageError("call needs a tool: call <tool> [--NAME VALUE … | '<json>'].")
  const tool = await findTool(definition, listing(definition, settings), name, { json: line.json, console })
  const option = fileOptionFor(definition, line, tool)
  const { args, unknown } = await readArguments(
    definition,
    { line, tool, isInputUsed: option !== undefined && option.replaces.length > 0 },
    console,
  )
  return runInterruptibly(console, async ({ signal }) => {
    const { input, output } = console
    const openFile = await option?.load()
    const opened = await openFile?.({ settings, tool, args, file: files.get(option?.name ?? '') ?? '', json, input, output, signal })
    try {
      return await makeCall(definition, { line, tool, args, unknown, settings, signal, ...opened }, console)
    } finally {
      await opened?.close?.()
    }
  })
}

/** The option by which the call reads or writes a file. Throws `UsageError` for an option meant for other tools. */
function fileOptionFor(server: Extended, { files }: CommandLine, { name: tool }: ListedTool): FileOption | undefined {
  const given = fileOptionsOf(server).filter(({ name }) => files.has(name))
  const wrong = given.find(({ tools }) => !tools.includes(tool))
  if (wrong) throw new UsageError(`--${wrong.name} is for ${joinWords(wrong.tools)}, not for ${tool}.`)
  return given[0]
}

interface PlannedCall extends Pick<OpenFile, 'completed' | 'call' | 'isPrinted'>, Pick<FileCall, 'settings' | 'tool' | 'args' | 'signal'> {
  readonly line: CommandLine
  readonly unknown: readonly UnknownFlag[]
}

async function makeCall<Context>(definition: ServerDefinition<Context>, planned: PlannedCall, console: Console): Promise<number> {
  const { line, tool, args: written, settings, signal } = planned
  const { logLevel } = line
  const perform = performer(planned, console)
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
    const { answer, args } = await perform(toolbox, delivery)
    const isPrinted = answer.ok && planned.isPrinted === true
    const shown = { definition, tool, args, options: typedOptions(line) }
    delivery.end(isPrinted || (await printAnswer(shown, answer, { console, asJson: line.json })))
    const hint = fileOptionsOf(definition).find(({ contentHint }) => contentHint)?.contentHint
    if (answer.ok && answer.content && !planned.call && hint !== undefined) await print(console.errors, hint)
    if (answer.ok && answer.isReplay) await print(console.errors, replayNotice)
    await printFileNotes(written, console)
    await waitForPages(toolbox, { console, signal })
    return answer.ok ? 0 : 1
  } finally {
    delivery.end(false)
    await toolbox.close()
  }
}

interface Performed {
  readonly answer: Answer
  /** The arguments as written, under the names that the tool knows. */
  readonly args: unknown
}

/**
 * Makes the call: with a progress line on a terminal, and a second time if a flag was another name for a parameter. Throws `UsageError`.
 */
function performer({ line, tool, args: written, unknown, signal, completed, call: callWithFile }: PlannedCall, console: Console) {
  const { idempotencyKey: key } = line
  const { args, given } = completed ?? { args: written, given: written }
  return async (toolbox: Toolbox, delivery: Delivery): Promise<Performed> => {
    const progress = console.errors.isTTY ? (await import('../call/progress-line.ts')).progressLine(console.errors) : undefined
    const options = { signal, key, givenArguments: given, delivery, ...(progress && { progress: progress.report }) }
    const server: CalledServer = {
      call: (each, callArgs) => toolbox.invoke(each, callArgs, { signal }),
      find: toolbox.listing.find,
      progress: progress?.report,
    }
    const perform = async (callArgs: unknown) => {
      try {
        return await (callWithFile ? callWithFile(callArgs, server) : toolbox.invoke(tool, callArgs, options))
      } finally {
        progress?.clear()
      }
    }
    const answer = await perform(args)
    const [refused] = unknown
    if (answer.ok || !refused) return { answer, args: written }
    const { withKnownNames } = await import('../options/other-names.ts')
    const [renamed, shown] = [args, written].map((each) => withKnownNames(each, unknown, answer.error))
    if (!renamed || !shown) throw refused.error
    await print(console.errors, renamed.notice)
    return { answer: await perform(renamed.args), args: shown.args }
  }
}

/** The options as typed, for a command that makes a similar call. */
function typedOptions({ forwarded, files, idempotencyKey }: CommandLine): ShownCall['options'] {
  const own = [...files, ['idempotency-key', idempotencyKey] as const]
  return { general: forwarded, own: own.flatMap(([name, value]) => (value === undefined ? [] : optionWords(`--${name}`, value))) }
}

/** Prints a note on each text that was taken literally, even though other programs would read a file for it. */
async function printFileNotes(args: unknown, console: Console): Promise<void> {
  for (const [name, value] of Object.entries(isObject(args) ? args : {})) {
    if (typeof value !== 'string' || !/^@[^\n]+$/.test(value) || !existsSync(value.slice(1))) continue
    const command = shellQuote(`${name}=${value}`)
    await print(console.errors, `${flagOf(name)} is the literal text ${quote(value)}. To pass that file's text instead: ${command}`)
  }
}

/** Prints the answer: for a person on a terminal, otherwise as JSON. Returns true if a result has been printed. */
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

/** An error that spells the command as it was started. */
function spelledError({ message, next, ...error }: ErrorBody, spell: (text: string) => string): ErrorBody {
  const command = next?.command
  return {
    ...error,
    message: spell(message),
    ...(next && { next: { ...next, ...(command !== undefined && { command: spell(command) }) } }),
  }
}

/** In a terminal, waits for a person's answer on a page that the call opened: the page closes when the command ends. */
async function waitForPages(toolbox: Toolbox, { console, signal }: { console: Console; signal: AbortSignal }): Promise<void> {
  const pages = await toolbox.pendingPages()
  if (!pages) return
  if (console.errors.isTTY !== true) {
    await print(
      console.errors,
      'The page closed when this command ended. In a terminal, or in a server, it stays open until the person answers.',
    )
    return
  }
  await print(
    console.errors,
    'Answer on the page, in a browser on this machine. The page closes when this command ends; press Ctrl-C to cancel.',
  )
  await raceAbort(pages.ended, signal)
}

/** The call's arguments: flags, which override JSON; or the piped input if there is neither. */
async function readArguments(
  server: Extended,
  { line: { forTool }, tool, isInputUsed }: { readonly line: CommandLine; readonly tool: ListedTool; readonly isInputUsed: boolean },
  console: Console,
): Promise<{ readonly args: unknown; readonly unknown: readonly UnknownFlag[] }> {
  const { values, json, unknown } = readToolArguments(forTool, tool, server)
  const hasFlags = Object.keys(values).length > 0
  const text = json ?? (hasFlags || isInputUsed ? '' : await readPiped(console))
  const args = text.trim() === '' ? {} : parseArguments(text)
  if (!hasFlags) return { args, unknown }
  if (!isObject(args)) throw new UsageError('If there are flags too, the JSON must be an object.')
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
