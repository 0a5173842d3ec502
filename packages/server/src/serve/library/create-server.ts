import { rm } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { once } from '@mcp-toolkits/core/base'
import { streamingFetch } from '@mcp-toolkits/core/upstream'
import { type HostedServer, teamOf } from '../../team.ts'
import { toolListProblem } from '../../mcp/listing/listing.ts'
import { withToolsets } from '../../mcp/listing/toolsets.ts'
import { entryLog, type Log } from '../../mcp/log.ts'
import { librarySpelling, readOptions, type AccountOptions, type LibraryOptions } from './options.ts'
import type { CommonOptions, Server } from './server.ts'

/** Replaces the app's hint: inside a program, neither a model nor a person can connect an account. */
const connectHint = 'The application that embeds this server decides which account is used.'

/**
 * A server embedded in a program, which passes the `options`. Throws a `TypeError` for unusable options. Everything slow is loaded on the
 * first request.
 */
export function createServerFor<Context>(definition: HostedServer<Context>, options: LibraryOptions, account: AccountOptions): Server {
  const { settings, isTemporary: temporary } = readOptions(options, { definition, account })
  const { clock, stateKey } = options
  const accountOf = settings.embedded ? undefined : options.accountOf
  const log = programLog(options.log)
  // Without a profile, the commands in errors would change nothing for this server.
  const showsCommands = settings.profile !== undefined && !settings.embedded

  const open = once(async () => {
    const [{ openToolbox }, { serveInProcess }] = await Promise.all([import('../../mcp/calls/toolbox.ts'), import('./in-process.ts')])
    const libraryDefinition = { ...(await withToolsets(definition, settings)), connectHint }
    const problem = toolListProblem(libraryDefinition, settings.tools ?? [])
    if (problem !== undefined) throw new TypeError(`The option tools ${problem}`)
    const spelling = { ...librarySpelling(account, definition), ...(!showsCommands && { command: () => undefined }) }
    const { fetch = streamingFetch } = options
    const shared = { log, spelling, ...(!settings.embedded && { fetch }), ...(clock && { clock }) }
    const toolbox = accountOf
      ? await (
          await teamOf(definition)
        ).openProgramPeople(libraryDefinition, settings, {
          ...shared,
          accountOf,
          account,
        })
      : openToolbox(libraryDefinition, settings, shared)
    return { resume: toolbox.resume, ...serveInProcess(libraryDefinition, toolbox, { log, key: stateKey }) }
  })
  let hasStarted = false
  let closing: Promise<void> | undefined
  /** Opens the server once. Requests and `close` wait for the same promise, so requests sent before `close` are still answered. */
  const use = () => {
    const opening = open()
    // Requests report why opening failed.
    if (!hasStarted && !closing) void opening.then((server) => server.resume()).catch(() => undefined)
    hasStarted = true
    return opening
  }
  const close = async () => {
    await open().then(
      (server) => server.close(),
      () => undefined,
    )
    if (temporary) await rm(settings.dataDirectory, { recursive: true, force: true })
  }

  return {
    async fetch(request, { person } = {}) {
      checkPerson(person, { isNeeded: accountOf !== undefined, isIgnored: settings.embedded })
      if (person === undefined) return (await use()).fetch(request)
      const [team, { withCaller }] = await Promise.all([teamOf(definition), import('../../mcp/calls/current-request.ts')])
      const [caller, server] = await Promise.all([team.programCaller(person), use()])
      return withCaller(caller, () => server.fetch(request))
    },
    async stdio({ input, output } = { input: process.stdin, output: process.stdout }) {
      if (accountOf) throw new TypeError('stdio serves one client, and this server was created for several people. Use fetch.')
      if (!(input instanceof Readable) || !(output instanceof Writable))
        throw new TypeError('stdio takes { input, output }: a Readable and a Writable from node:stream.')
      await (await use()).stdio({ input, output })
    },
    close: () => (closing ??= close()),
  }
}

/** Throws if the person is missing or unexpected: a program that forgets to pass one must not act for someone else. */
function checkPerson(person: unknown, { isNeeded, isIgnored }: { readonly isNeeded: boolean; readonly isIgnored: boolean }): void {
  if (person === undefined && isNeeded)
    throw new TypeError('fetch needs { person }: this server was created with accountOf, and acts for the person that you name.')
  if (person === undefined) return
  if (typeof person !== 'string' || person === '') throw new TypeError('The person passed to fetch must be a non-empty string.')
  if (!isNeeded && !isIgnored) throw new TypeError('fetch takes { person } only for a server that was created with accountOf.')
}

/** The program's log; a log function that throws must not end a call. */
function programLog(onEntry: CommonOptions['log']): Log {
  if (!onEntry) return entryLog('silent', () => undefined)
  return entryLog('debug', (entry) => {
    try {
      onEntry(entry)
    } catch {
      // The log's own failure cannot be logged.
    }
  })
}
