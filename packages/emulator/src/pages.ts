import { randomBytes } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { loopbackOnly } from './loopback.ts'
import { styleSource } from './page.ts'

export { document, problemPage, type Html } from './page.ts'

/** One-time tokens for forms, so that each form is answered once, and only if it was shown. */
export interface Tickets<T> {
  readonly issue: (request: T) => string
  /** The request of a ticket, once; undefined for a used, expired or unknown one. */
  readonly take: (ticket: string) => T | undefined
}

export interface TicketOptions {
  readonly now: () => number
  /** In milliseconds. */
  readonly lifetimeMs: number
}

/** Maximum of open tickets; the oldest is dropped first. */
const maxTickets = 100

export function openTickets<T>({ now, lifetimeMs }: TicketOptions): Tickets<T> {
  const open = new Map<string, { readonly request: T; readonly expiresAt: number }>()
  return {
    issue(request) {
      const ticket = randomBytes(24).toString('base64url')
      open.set(ticket, { request, expiresAt: now() + lifetimeMs })
      const [oldest] = open.keys()
      if (open.size > maxTickets && oldest !== undefined) open.delete(oldest)
      return ticket
    },
    take(ticket) {
      const found = open.get(ticket)
      open.delete(ticket)
      return found === undefined || found.expiresAt <= now() ? undefined : found.request
    },
  }
}

/**
 * Sets a content security policy that allows only the page and its forms. `redirectOrigin` is the origin of the final redirect: browsers
 * apply form-action to redirects too.
 */
export function guardPages(
  context: Context,
  { forms = true, redirectOrigin }: { readonly forms?: boolean; readonly redirectOrigin?: string } = {},
): void {
  const targets = forms ? ["'self'", ...(redirectOrigin === undefined ? [] : [redirectOrigin])].join(' ') : "'none'"
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
  )
  context.header('x-content-type-options', 'nosniff')
  // With no-referrer browsers send `Origin: null` for forms.
  context.header('referrer-policy', 'same-origin')
  context.header('cache-control', 'no-store')
}

/** In-process requests have no Host: a program that only has `fetch` cannot answer for the person. */
const networkOnly: MiddlewareHandler = async (context, next) =>
  context.req.header('host') === undefined ? context.text('Open this in a browser.\n', 403) : next()

/** Requires a same-origin form. */
const sameOrigin: MiddlewareHandler = async (context, next) => {
  const isOwn = context.req.method === 'GET' || context.req.header('origin') === `http://${context.req.header('host') ?? ''}`
  return isOwn ? next() : context.text('Submit the form on the page itself.\n', 403)
}

/** Middleware for pages that a person answers: only a browser on this machine, and only same-origin forms. */
export const browserOnly: readonly [MiddlewareHandler, MiddlewareHandler, MiddlewareHandler] = [networkOnly, loopbackOnly, sameOrigin]
