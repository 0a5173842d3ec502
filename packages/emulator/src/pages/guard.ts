import type { Context, MiddlewareHandler } from 'hono'
import { loopbackOnly } from '../listen.ts'
import { styleSource } from '../page.ts'

/**
 * Lets a page do nothing but show itself and send its forms. `returning` is the origin to which answering it leads in the end: browsers
 * hold redirects of a form to its policy, too.
 */
export function guardPages(
  context: Context,
  { forms = true, returning }: { readonly forms?: boolean; readonly returning?: string } = {},
): void {
  const targets = forms ? ["'self'", ...(returning === undefined ? [] : [returning])].join(' ') : "'none'"
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
  )
  context.header('x-content-type-options', 'nosniff')
  // With no-referrer a browser would send the form's Origin as null.
  context.header('referrer-policy', 'same-origin')
  context.header('cache-control', 'no-store')
}

/** What was never sent over a network has no Host: a program that only has fetch cannot answer in a person's place. */
const isNetworkRequest: MiddlewareHandler = async (context, next) =>
  context.req.header('host') === undefined ? context.text('Open this in a browser.\n', 403) : next()

/** Lets only a page of this address answer. */
const sameOrigin: MiddlewareHandler = async (context, next) => {
  const isOwn = context.req.method === 'GET' || context.req.header('origin') === `http://${context.req.header('host') ?? ''}`
  return isOwn ? next() : context.text('Answer on the page.\n', 403)
}

/** Who may see a page that a person answers, and send its forms: a browser on this machine, from that page. */
export const browserOnly: readonly [MiddlewareHandler, MiddlewareHandler, MiddlewareHandler] = [isNetworkRequest, loopbackOnly, sameOrigin]
