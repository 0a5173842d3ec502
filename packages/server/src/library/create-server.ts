import { rm } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import type { ServerDefinition } from '../definition.ts'
import { entryLog, type Log } from '../log.ts'
import type { Toolbox } from '../toolbox.ts'
import { readOptions, type AccountOptions } from './options.ts'
import type { CommonOptions, Server } from './server.ts'
import { optionWording, toldInProgram } from './wording.ts'

/** What a model is told about the stand-in, in place of how to connect an account. */
const programDecides = 'The program around this server decides which account is used.'

/**
 * A server inside a program that is not ours. `options` is what that program gave. Throws a `TypeError` for what cannot be used. Everything
 * that costs time is loaded with the first request.
 */
export function createServerFor<Context>(definition: ServerDefinition<Context>, options: CommonOptions, account: AccountOptions): Server {
  const reword = optionWording({ ...account.variables, ...account.switches })
  const { settings, temporary } = readOptions(options, { definition, account, reword })
  const hosted = { ...definition, connectHint: programDecides }
  const { fetch, stateKey } = options
  const log = logTo(options.log)
  const told = { reword, keepsCommands: settings.profile !== undefined && !settings.embedded }

  const open = async () => {
    const [{ openToolbox }, { serveInProcess }] = await Promise.all([import('../toolbox.ts'), import('./in-process.ts')])
    const opened = openToolbox(hosted, settings, { log, ...(fetch && !settings.embedded && { fetch }) })
    const toolbox: Toolbox = { ...opened, call: async (...call) => toldInProgram(await opened.call(...call), told) }
    return { resume: toolbox.resume, ...serveInProcess(hosted, toolbox, { log, key: stateKey }) }
  }
  let opening: ReturnType<typeof open> | undefined
  let used = false
  /** Whoever asked before the server closes is served before it closes: all wait for the same promise. */
  const inUse = () => {
    opening ??= open()
    if (!used && !closing) void opening.then((server) => server.resume())
    used = true
    return opening
  }
  let closing: Promise<void> | undefined
  const close = async () => {
    const server = await (opening ??= open())
    await server.close()
    if (temporary) await rm(settings.dataDirectory, { recursive: true, force: true })
  }

  return {
    fetch: async (request) => (await inUse()).fetch(request),
    async stdio({ input, output } = { input: process.stdin, output: process.stdout }) {
      if (!(input instanceof Readable) || !(output instanceof Writable))
        throw new TypeError('stdio takes { input, output }: a Readable and a Writable of node:stream.')
      await (await inUse()).stdio({ input, output })
    },
    close: () => (closing ??= close()),
  }
}

/** What the program does with an entry is its own affair, and ends no call. */
function logTo(take: CommonOptions['log']): Log {
  if (!take) return entryLog('silent', () => undefined)
  return entryLog('debug', (entry) => {
    try {
      take(entry)
    } catch {
      // There is nobody to tell: this is where problems are told.
    }
  })
}
