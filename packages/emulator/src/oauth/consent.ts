import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { type Html, problemPage } from '../page.ts'
import { browserOnly, guardPages, openTickets } from '../pages.ts'

/** Where an answer is sent, and what it carries back unchanged. */
export interface RedirectTarget {
  readonly redirectUri: string
  readonly state: string | undefined
}

/** An error as the protocol names it: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1. */
export interface OAuthError {
  readonly error: string
  readonly error_description: string
}

/** What comes of a request for access: a question, an error that the application is told, or one that the person is told. */
export type ConsentDecision<Q> = { readonly question: Q } | { readonly refused: OAuthError & RedirectTarget } | { readonly problem: string }

/** What makes one vendor's page of consent different from another's. */
export interface ConsentOptions<Q extends RedirectTarget> {
  readonly path: string
  readonly now: () => number
  readonly consider: (query: Readonly<Record<string, string>>) => ConsentDecision<Q>
  readonly page: (question: Q, ticket: string) => Html
  /** What the person who agreed brings back, or the address of a further page. */
  readonly agree: (question: Q, form: URLSearchParams) => Readonly<Record<string, string>> | string
}

/** How long a page of consent can be answered. */
const pageLifetimeMs = 10 * 60_000
const title = 'This cannot be authorized'

/** The page of consent, which a person answers in a browser on this machine, once. */
export function consentRoutes<Q extends RedirectTarget>({ path, now, consider, page, agree }: ConsentOptions<Q>): Hono {
  const tickets = openTickets<Q>({ now, lasts: pageLifetimeMs })
  const app = new Hono()
  const problem = (context: Context, text: string) => {
    guardPages(context, { forms: false })
    return context.html(problemPage(title, text), 400)
  }
  app.use(path, ...browserOnly)
  app.get(path, (context) => {
    const considered = consider(context.req.query())
    if ('problem' in considered) return problem(context, considered.problem)
    if ('refused' in considered) return context.redirect(redirectBack(considered.refused, pick(considered.refused)))
    const { question } = considered
    guardPages(context, { returning: new URL(question.redirectUri).origin })
    return context.html(page(question, tickets.issue(question)))
  })
  app.post(path, async (context) => {
    const form = new URLSearchParams(await context.req.text())
    const question = tickets.take(form.get('ticket') ?? '')
    if (question === undefined) return problem(context, 'This page was answered or is too old. Start again.')
    if (form.get('decision') !== 'allow') return context.redirect(redirectBack(question, errorRedirect), 303)
    const brought = agree(question, form)
    return context.redirect(typeof brought === 'string' ? brought : redirectBack(question, brought), 303)
  })
  app.all(path, (context) => context.text('Method Not Allowed', 405, { allow: 'GET, POST' }))
  return app
}

/** What an application is told when the person says no. */
export const errorRedirect: Readonly<Record<string, string>> = { error: 'access_denied', error_description: 'The person refused.' }

const pick = ({ error, error_description: description }: OAuthError) => ({ error, error_description: description })

/** The address that takes an answer to its application. */
export function redirectBack({ redirectUri, state }: RedirectTarget, brought: Readonly<Record<string, string>>): string {
  const address = new URL(redirectUri)
  for (const [name, value] of Object.entries(brought)) address.searchParams.set(name, value)
  if (state !== undefined) address.searchParams.set('state', state)
  return address.href
}

/** An application that asks people for access. */
export interface OAuthClient {
  readonly id: string
  /** What the page of consent calls it. */
  readonly name: string
  /** Absent for an application that cannot keep one. */
  readonly secret?: string
}

/** Whether a secret is the one of an application; every one is for an application without. */
export function isClientSecret({ secret }: OAuthClient, given: string | null): boolean {
  return secret === undefined || (given !== null && timingSafeEqual(sha256(given), sha256(secret)))
}

const sha256 = (value: string) => createHash('sha256').update(value).digest()
