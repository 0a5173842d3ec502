import { joinWords } from '@mcp-toolkits/core/errors'
import type { SharedStore } from '../../storage/shared-store.ts'
import type { ServerDefinition } from '../../mcp/definition.ts'
import { type HttpOptions, serveHttp } from '../../serve/http/server.ts'
import type { Log } from '../../mcp/log.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import { type Console, print, waitForSignal } from '../command.ts'
import type { Address } from '../options/http-options.ts'
import { listenError } from './listen-error.ts'

export interface ServeUntilSignalOptions extends Omit<HttpOptions, 'host' | 'port' | 'allowedHosts' | 'token' | 'contents'> {
  readonly address: Address
  /** Sentences to print after the address. */
  readonly notes?: readonly string[] | undefined
  /** Starts servers alongside this one, once the address is printed. Never rejects, and resolves with the function that stops them. */
  readonly startBeside?: (() => Promise<() => Promise<void>>) | undefined
  readonly shared: SharedStore | undefined
}

/** Serves a toolbox until a signal arrives, then answers the calls in flight and closes the toolbox. */
export async function serveUntilSignal<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  { address, notes = [], startBeside, shared, ...options }: ServeUntilSignalOptions,
  console: Console,
): Promise<number> {
  const { host, port, allowedHosts, token, drainWait } = address
  const server = await serveHttp(definition, toolbox, {
    ...options,
    contents: shared?.contents,
    host,
    port,
    allowedHosts,
    ...(token && { token }),
  }).catch((error: unknown) => {
    throw listenError(error, { host, port, options: '--host and --port' })
  })
  // Registered before the address is printed: a script that waits for the address may stop the server at once.
  const stopped = waitForSignal(console)
  const lines = [`${definition.title} serves ${server.url}`, ...notes]
  await print(console.errors, lines.join('\n'))
  void toolbox.resume()
  const beside = startBeside?.()
  if (shared) void warnOfMissingKeys(shared, options.log)
  await stopped
  const endBeside = await beside
  await endBeside?.()
  await server.drain(drainWait * 1_000)
  await toolbox.close()
  return 0
}

/** Warns about rows that no key can decrypt, so that no call can use them. Database problems are left to the calls. */
async function warnOfMissingKeys(shared: SharedStore, log: Log): Promise<void> {
  const missing = await shared.missingKeys().catch(() => [])
  if (missing.length === 0) return
  log.warn(`Some rows of the database cannot be decrypted: MCP_TOOLKITS_VAULT_KEYS lacks ${joinWords(missing)}.`, { missing_keys: missing })
}
