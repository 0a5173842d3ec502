import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Whether a request was sent to this very listener, under a name of this machine and with its port, and by no page from elsewhere: a web
 * page can make its own name point to this machine. Programs send no `Origin`; a page of the listener sends the one that it was sent to.
 */
export function isAtHome({ headers: { host = '', origin }, socket: { localPort = 0 } }: IncomingMessage): boolean {
  const authority = host.toLowerCase()
  const isHere = loopbackNames.some((name) => authority === `${name}:${localPort}` || (localPort === 80 && authority === name))
  return isHere && (origin === undefined || origin.toLowerCase() === `http://${authority}`)
}

/** Refuses what was sent to another name without a network in between: what belongs to the emulator itself is at no vendor's address. */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const { hostname } = new URL(context.req.url)
  if (!loopbackNames.includes(hostname)) return context.text('Ask for this on a loopback address.\n', 403)
  return next()
}
