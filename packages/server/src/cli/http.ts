import type { SharedStore } from '@mcp-toolkits/store/postgres'
import { joinWords } from '@mcp-toolkits/core/text'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { Log } from '../log.ts'
import { embeddedNotice, openToolbox } from '../toolbox.ts'
import { type Command, type CommandLine, type Console, logTo, print, waitForSignal } from './command.ts'
import { listenError } from './listen-error.ts'
import { type Address, checkUpstream, readAddress } from './serving.ts'

/** Serves Streamable HTTP until a signal arrives; answers the calls in flight first. */
export const http: Command = async (definition, line, console) => {
  const address = readAddress(line, console.environment)
  if (line.check) return (await import('./check.ts')).check(definition, { line, address }, console)
  if (line.store === undefined) return serve(definition, { settings: line.settings, line, address }, console)
  const { withStore } = await import('./hosting.ts')
  return withStore(definition, line, (settings, shared) => serve(definition, { settings, shared, line, address }, console))
}

interface Serving {
  readonly settings: Settings
  readonly line: CommandLine
  readonly address: Address
  readonly shared?: SharedStore
}

async function serve<Context>(
  definition: ServerDefinition<Context>,
  { settings: given, line, address, shared }: Serving,
  console: Console,
): Promise<number> {
  const { host, port, allowedHosts, token, drainWait, servesOtherMachines } = address
  const settings = { ...given, servesOtherMachines }
  const log = logTo(console, line.logLevel)
  const toolbox = openToolbox(definition, settings, { log, ...(shared && { shared }) })
  checkUpstream(toolbox, settings, address)
  if (toolbox.embedded) log.warn(embeddedNotice(definition))
  const { serveHttp } = await import('../http.ts')
  const fromStore = shared && { stateKey: shared.stateKey, checkReady: shared.checkReady }
  const options = { host, port, allowedHosts, log, ...(token && { token }), ...fromStore }
  const server = await serveHttp(definition, toolbox, options).catch((error: unknown) => {
    throw listenError(error, { host, port, options: '--host and --port' })
  })
  // Before the address is printed: a script that reads it may stop the server at once.
  const stopped = waitForSignal(console)
  await print(console.errors, `${definition.title} serves ${server.url}`)
  void toolbox.resume()
  if (shared) void warnOfMissingKeys(shared, log)
  await stopped
  await server.drain(drainWait * 1_000)
  await toolbox.close()
  return 0
}

/** Rows that no key opens are of no use to any call. A problem of the database is left to those. */
async function warnOfMissingKeys(shared: SharedStore, log: Log): Promise<void> {
  const missing = await shared.missingKeys().catch(() => [])
  if (missing.length === 0) return
  log.warn(`Some rows of the database cannot be opened: MCP_TOOLKITS_VAULT_KEYS lacks ${joinWords(missing)}.`, { missing_keys: missing })
}
