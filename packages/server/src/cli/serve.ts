import { type Environment, readSecret, type Secret, ToolError } from '@mcp-toolkits/core'
import { systemErrorCode } from '@mcp-toolkits/core/system-error'
import { serveStdio } from '../stdio/serve.ts'
import { embeddedNotice, openToolbox } from '../toolbox.ts'
import { waitForSignal, logTo, print, UsageError, type Command } from './command.ts'

/** Serves over standard input and output until the input ends or a signal arrives; answers the calls in flight first. */
export const stdio: Command = async (definition, { settings, logLevel, operands }, console) => {
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const log = logTo(console, logLevel)
  const toolbox = openToolbox(definition, settings, { log })
  if (toolbox.embedded) log.warn(embeddedNotice(definition))
  const { input, output, onListed } = console
  const server = serveStdio(definition, toolbox, { input, output, onListed, log })
  console.onSignal(() => void server.drain())
  void toolbox.resume()
  await server.closed
  await toolbox.close()
  return 0
}

const minTokenLength = 32

const loopbackNames = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Serves Streamable HTTP until a signal arrives; answers the calls in flight first. */
export const http: Command = async (definition, { settings: lineSettings, logLevel, host, port, allowedHosts }, console) => {
  const token = readToken(console.environment)
  const loopback = loopbackNames.includes(host)
  // Clients that use another name come through a proxy, even when the server listens on loopback.
  const settings = { ...lineSettings, servesOtherMachines: ![host, ...allowedHosts].every((name) => loopbackNames.includes(name)) }
  if (!loopback && !token) throw new UsageError(`Serving on ${host} needs MCP_TOOLKITS_HTTP_TOKEN, which clients send as a bearer token.`)
  if (!loopback && allowedHosts.length === 0) throw new UsageError(`Serving on ${host} needs --allowed-hosts with the names clients use.`)
  const log = logTo(console, logLevel)
  const toolbox = openToolbox(definition, settings, { log })
  if (toolbox.embedded && !loopback && !settings.embedded) throw new UsageError(`Serving the embedded default on ${host} needs --embedded.`)
  if (toolbox.embedded) log.warn(embeddedNotice(definition))
  const options = { host, port: port ?? 3000, allowedHosts, log, ...(token && { token }) }
  const { serveHttp } = await import('../http.ts')
  const server = await serveHttp(definition, toolbox, options).catch((error: unknown) => {
    throw listenError(error, { ...options, options: '--host and --port' })
  })
  // Before the address is printed: a script that reads it may stop the server at once.
  const stopped = waitForSignal(console)
  await print(console.errors, `${definition.title} serves ${server.url}`)
  void toolbox.resume()
  await stopped
  await server.drain()
  await toolbox.close()
  return 0
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

interface ListenAddress {
  readonly host: string
  readonly port: number
  /** The options that choose it. */
  readonly options: string
}

/** An address that is in use or belongs to another machine is a usage error. */
function listenError(error: unknown, { host, port, options }: ListenAddress): unknown {
  const code = error instanceof Error && 'syscall' in error ? systemErrorCode(error) : undefined
  // A port that no client can use has its own text.
  return code === undefined || code === 'ERR_BAD_PORT'
    ? error
    : new UsageError(`${host} port ${port} cannot be used (${code}). Choose another with ${options}.`)
}

/** Serves the embedded vendor API alone, for other programs to test against. */
export const emulator: Command = async (definition, { settings, port = 0 }, console) => {
  const emulatorHandle = await definition.emulator(settings)
  const listener = await emulatorHandle.listen({ port }).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port, options: '--port' })
  })
  const stopped = waitForSignal(console)
  const lines = [
    `The emulator of ${definition.vendor} listens on ${listener.url} (this machine only; nothing is forwarded).`,
    emulatorHandle.hint.replaceAll('{url}', listener.url),
    `To set faults over HTTP, send "Authorization: Bearer ${listener.token}" to ${listener.url}/__emulator/faults.`,
  ]
  await print(console.output, lines.join('\n'))
  await stopped
  await listener.close()
  await emulatorHandle.close()
  return 0
}
