import { readSecret } from '@mcp-toolkits/core'
import { serveHttp } from '../http.ts'
import { embeddedSentence, openToolbox } from '../toolbox.ts'
import type { Command } from './cli.ts'
import { interrupted, logTo, print } from './console.ts'
import { UsageError } from './usage.ts'

const shortestToken = 32

/** Serves Streamable HTTP until a signal comes; calls in flight are answered first. */
export const http: Command = async (definition, { settings, logLevel, host, port, allowedHosts }, console) => {
  const token = readSecret(console.environment, 'MCP_TOOLKITS_HTTP_TOKEN')
  const loopback = ['127.0.0.1', '::1', 'localhost'].includes(host)
  if (token && token.reveal().length < shortestToken)
    throw new UsageError(`MCP_TOOLKITS_HTTP_TOKEN needs at least ${shortestToken} characters.`)
  if (!loopback && !token) throw new UsageError(`Serving on ${host} needs MCP_TOOLKITS_HTTP_TOKEN, which clients send as a bearer token.`)
  if (!loopback && allowedHosts.length === 0) throw new UsageError(`Serving on ${host} needs --allowed-hosts with the names clients use.`)
  const log = logTo(console, logLevel)
  const toolbox = openToolbox(definition, settings, { log })
  if (toolbox.embedded && !loopback && !settings.embedded) throw new UsageError(`Serving the embedded default on ${host} needs --embedded.`)
  if (toolbox.embedded) log.warn(embeddedSentence(definition))
  const server = await serveHttp(definition, toolbox, { host, port: port ?? 3000, allowedHosts, log, ...(token && { token }) })
  await print(console.errors, `${definition.title} serves ${server.url}`)
  void toolbox.resume()
  await interrupted(console)
  await server.drain()
  await toolbox.close()
  return 0
}
