import { type Environment, readSecret, type Secret, ToolError } from '@mcp-toolkits/core'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import type { ServerDefinition, Settings } from '../definition.ts'
import { embeddedNotice, openToolbox } from '../toolbox.ts'
import { type Command, type CommandLine, type Console, logTo, print, UsageError, waitForSignal } from './command.ts'
import { listenError } from './listen-error.ts'

const minTokenLength = 32

/** How long /readyz says that a replica ends before it stops accepting requests, in seconds: balancers look every few seconds. */
const defaultDrainWait = 5

const loopbackNames = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Serves Streamable HTTP until a signal arrives; answers the calls in flight first. */
export const http: Command = async (definition, line, console) => {
  const token = checkAddress(line, console.environment)
  if (line.store === undefined) return serve(definition, { settings: line.settings, line, console, token })
  const { openHosting } = await import('./hosting.ts')
  const { shared, settings } = await openHosting(definition, line)
  try {
    return await serve(definition, { settings, line, console, token, shared })
  } finally {
    await shared.close()
  }
}

interface Serving {
  readonly settings: Settings
  readonly line: CommandLine
  readonly console: Console
  readonly token: Secret | undefined
  readonly shared?: SharedStore
}

async function serve<Context>(
  definition: ServerDefinition<Context>,
  { settings: given, line, console, token, shared }: Serving,
): Promise<number> {
  const { host, port, allowedHosts, logLevel } = line
  // Clients that use another name come through a proxy, even when the server listens on loopback.
  const settings = { ...given, servesOtherMachines: ![host, ...allowedHosts].every((name) => loopbackNames.includes(name)) }
  const log = logTo(console, logLevel)
  const toolbox = openToolbox(definition, settings, { log, ...(shared && { shared }) })
  if (toolbox.embedded && !loopbackNames.includes(host) && !settings.embedded)
    throw new UsageError(`Serving the embedded default on ${host} needs --embedded.`)
  // A sign-in does not reach a running server that began without one, so it is started again until there is one.
  if (shared && toolbox.upstreamProblem !== undefined) throw new UsageError(toolbox.upstreamProblem)
  if (toolbox.embedded) log.warn(embeddedNotice(definition))
  const options = { host, port: port ?? 3000, allowedHosts, log, ...(token && { token }) }
  const { serveHttp } = await import('../http.ts')
  const shares = shared && { stateKey: shared.stateKey, checkReady: shared.checkReady }
  const server = await serveHttp(definition, toolbox, { ...options, ...shares }).catch((error: unknown) => {
    throw listenError(error, { ...options, options: '--host and --port' })
  })
  // Before the address is printed: a script that reads it may stop the server at once.
  const stopped = waitForSignal(console)
  await print(console.errors, `${definition.title} serves ${server.url}`)
  void toolbox.resume()
  await stopped
  await server.drain((line.drainWait ?? (shared ? defaultDrainWait : 0)) * 1_000)
  await toolbox.close()
  return 0
}

/** Throws `UsageError` for an address that others can reach without a token. */
function checkAddress({ host, allowedHosts }: CommandLine, environment: Environment): Secret | undefined {
  const token = readToken(environment)
  const isLoopback = loopbackNames.includes(host)
  if (!isLoopback && !token) throw new UsageError(`Serving on ${host} needs MCP_TOOLKITS_HTTP_TOKEN, which clients send as a bearer token.`)
  if (!isLoopback && allowedHosts.length === 0) throw new UsageError(`Serving on ${host} needs --allowed-hosts with the names clients use.`)
  return token
}

function readToken(environment: Environment): Secret | undefined {
  const variable = 'MCP_TOOLKITS_HTTP_TOKEN'
  try {
    const token = readSecret(environment, variable)
    if (token && token.reveal().length < minTokenLength) throw new UsageError(`${variable} needs at least ${minTokenLength} characters.`)
    return token
  } catch (error) {
    throw error instanceof ToolError ? new UsageError(error.message) : error
  }
}
