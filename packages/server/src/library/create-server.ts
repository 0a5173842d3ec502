import { rm } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { once } from '@mcp-toolkits/core/async'
import type { Answer } from '../answer.ts'
import type { ServerDefinition } from '../definition.ts'
import { entryLog, type Log } from '../log.ts'
import type { Toolbox } from '../toolbox.ts'
import { librarySpelling, readOptions, type AccountOptions } from './options.ts'
import type { CommonOptions, Server } from './server.ts'

/** What a model reads about the embedded default, because it cannot connect an account in a program. */
const connectHint = 'The program around this server decides which account is used.'

/**
 * A server inside a program; `options` are the program's. Throws a `TypeError` for options that cannot be used. Everything that costs time
 * is loaded with the first request.
 */
export function createServerFor<Context>(definition: ServerDefinition<Context>, options: CommonOptions, account: AccountOptions): Server {
  const { settings, isTemporary: temporary } = readOptions(options, { definition, account })
  const defined = { ...definition, connectHint }
  const { fetch, stateKey } = options
  const log = programLog(options.log)
  const keepsCommands = settings.profile !== undefined && !settings.embedded

  const open = once(async () => {
    const [{ openToolbox }, { serveInProcess }] = await Promise.all([import('../toolbox.ts'), import('./in-process.ts')])
    const spelling = librarySpelling(account)
    const opened = openToolbox(defined, settings, { log, spelling, ...(fetch && !settings.embedded && { fetch }) })
    const call: Toolbox['call'] = async (...args) => removeCommand(keepsCommands, await opened.call(...args))
    return { resume: opened.resume, ...serveInProcess(defined, { ...opened, call }, { log, key: stateKey }) }
  })
  let used = false
  let closing: Promise<void> | undefined
  /** Requests that arrive before `close` are answered before the server closes: all wait for the same promise. */
  const use = () => {
    const opening = open()
    if (!used && !closing) void opening.then((server) => server.resume())
    used = true
    return opening
  }
  const close = async () => {
    const server = await open()
    await server.close()
    if (temporary) await rm(settings.dataDirectory, { recursive: true, force: true })
  }

  return {
    fetch: async (request) => (await use()).fetch(request),
    async stdio({ input, output } = { input: process.stdin, output: process.stdout }) {
      if (!(input instanceof Readable) || !(output instanceof Writable))
        throw new TypeError('stdio takes { input, output }: a Readable and a Writable of node:stream.')
      await (await use()).stdio({ input, output })
    },
    close: () => (closing ??= close()),
  }
}

/** Commands sign in for the data directory and the profile of a server; without a profile they would change nothing here. */
function removeCommand(isKept: boolean, answer: Answer): Answer {
  if (answer.ok) return answer
  const { next, ...error } = answer.error
  const { command, ...rest } = next ?? {}
  const step = { ...rest, ...(isKept && command !== undefined && { command }) }
  return { ...answer, error: { ...error, ...(Object.keys(step).length > 0 && { next: step }) } }
}

/** A log function that throws must not end a call. */
function programLog(take: CommonOptions['log']): Log {
  if (!take) return entryLog('silent', () => undefined)
  return entryLog('debug', (entry) => {
    try {
      take(entry)
    } catch {
      // This is where problems are reported; there is no other place.
    }
  })
}
