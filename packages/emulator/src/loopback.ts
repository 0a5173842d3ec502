import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Whether a request names this listener by a loopback name and its port, and comes from no other origin: a web
 * page can resolve its own name to this machine. Programs send no `Origin`; the listener's own pages send theirs.
 */
export function isLocalRequest({ headers: { host = '', origin }, socket: { localPort = 0 } }: IncomingMessage): boolean {
  const authority = host.toLowerCase()
  const isLoopback = loopbackNames.some((name) => authority === `${name}:${localPort}` || (localPort === 80 && authority === name))
  return isLoopback && (origin === undefined || origin.toLowerCase() === `http://${authority}`)
}

/** Refuses in-process requests to another host: the emulator's own routes exist at loopback only. */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const { hostname } = new URL(context.req.url)
  if (!loopbackNames.includes(hostname)) return context.text('This is available on a loopback address only.\n', 403)
  return next()
}
