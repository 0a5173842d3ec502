import { randomBytes } from 'node:crypto'
import { loopbackOnly } from '@mcp-toolkits/emulator'
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import { consentPage, problemPage } from './consent-page.ts'
import type { Consent, Grants } from './grants.ts'
import { mayReturnTo, parseScopes, type OAuthClient } from './oauth-clients.ts'

/** What the page of consent works on. */
export interface Authorizing {
  readonly clients: readonly OAuthClient[]
  readonly grants: Grants
  readonly now: () => number
}

interface Asked extends Consent {
  readonly state: string | undefined
  readonly expiresAt: number
}

/** How long a page of consent can be answered, and how many at a time. */
const answerable = 10 * 60_000
const mostAsked = 100

/** The page of consent, which a person answers in a browser on this machine: linear.md §3.6. */
export function authorizeRoutes({ clients, grants, now }: Authorizing): Hono {
  const asked = new Map<string, Asked>()
  const app = new Hono()
  app.use('/oauth/authorize', overTheNetwork, loopbackOnly)
  app.get('/oauth/authorize', (context) => {
    const query = context.req.query()
    const client = clients.find(({ id }) => id === query['client_id'])
    if (client === undefined) return problem(context, 'client_id names no application.')
    const redirectUri = query['redirect_uri'] ?? ''
    if (!mayReturnTo(client, redirectUri)) return problem(context, 'redirect_uri is none of the application’s.')
    const state = query['state']
    const wanted = consentOf(client, query)
    if ('error' in wanted) return context.redirect(addressWith(redirectUri, { ...wanted, state }))
    const ticket = randomBytes(24).toString('base64url')
    asked.set(ticket, { ...wanted, state, expiresAt: now() + answerable })
    const [oldest] = asked.keys()
    if (asked.size > mostAsked && oldest !== undefined) asked.delete(oldest)
    guard(context, new URL(redirectUri).origin)
    return context.html(consentPage({ client, ...wanted, ticket }))
  })
  app.post('/oauth/authorize', sameOrigin, async (context) => {
    const form = new URLSearchParams(await context.req.text())
    const ticket = form.get('ticket') ?? ''
    const answered = asked.get(ticket)
    asked.delete(ticket)
    if (answered === undefined || answered.expiresAt <= now()) return problem(context, 'This page was answered or is too old. Start again.')
    const { state, redirectUri } = answered
    if (form.get('decision') !== 'allow') {
      return context.redirect(addressWith(redirectUri, { error: 'access_denied', error_description: 'The person refused.', state }), 303)
    }
    return context.redirect(addressWith(redirectUri, { code: grants.consent(answered), state }), 303)
  })
  app.all('/oauth/authorize', (context) => context.text('Method Not Allowed', 405, { allow: 'GET, POST' }))
  return app
}

type Refused = Readonly<Record<'error' | 'error_description', string>>

/** What is asked for, or what its application is told at once. */
function consentOf(client: OAuthClient, query: Readonly<Record<string, string>>): Consent | Refused {
  const { response_type: responseType, code_challenge: challenge, code_challenge_method: method, actor = 'user' } = query
  const refused = (error: string, description: string): Refused => ({ error, error_description: description })
  if (responseType !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  if (actor !== 'user') return refused('invalid_request', 'Only actor=user is offered here.')
  if (challenge === undefined && client.secret === undefined) return refused('invalid_request', 'A public client needs code_challenge.')
  if (challenge !== undefined && method !== 'S256') return refused('invalid_request', 'code_challenge_method must be S256.')
  const parsed = parseScopes(query['scope'] ?? '')
  if ('unknown' in parsed) return refused('invalid_scope', `Invalid scope: ${parsed.unknown}`)
  return { clientId: client.id, scopes: parsed.scopes, redirectUri: query['redirect_uri'] ?? '', challenge: challenge ?? null }
}

function addressWith(redirectUri: string, values: Readonly<Record<string, string | undefined>>): string {
  const address = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) address.searchParams.set(name, value)
  return address.href
}

function problem(context: Context, text: string) {
  guard(context)
  return context.html(problemPage(text), 400)
}

/** `returning` is where the answer leads: browsers hold redirects of a form to its policy, too. */
function guard(context: Context, returning?: string): void {
  const targets = returning === undefined ? "'none'" : `'self' ${returning}`
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src 'self'; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`,
  )
  context.header('x-content-type-options', 'nosniff')
  // With no-referrer a browser would send the form's Origin as null.
  context.header('referrer-policy', 'same-origin')
  context.header('cache-control', 'no-store')
}

/** What was never sent over a network has no Host: a program that only has fetch cannot consent. */
const overTheNetwork: MiddlewareHandler = async (context, next) =>
  context.req.header('host') === undefined ? context.text('Open this in a browser.\n', 403) : next()

/** Lets only the page itself answer. */
const sameOrigin: MiddlewareHandler = async (context, next) =>
  context.req.header('origin') === `http://${context.req.header('host') ?? ''}` ? next() : context.text('Answer on the page.\n', 403)
