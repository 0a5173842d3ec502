import type { MiddlewareHandler } from 'hono'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** Refuses requests that were sent to another name: a web page can make its own name point to this machine. */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host')
  const names = [new URL(context.req.url).hostname, ...(host === undefined ? [] : [host.replace(/:\d+$/, '')])]
  if (!names.every((name) => loopbackNames.includes(name.toLowerCase()))) return context.text('Ask for this on a loopback address.\n', 403)
  return next()
}
