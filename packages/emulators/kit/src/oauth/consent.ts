import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { browserOnly, guardPages, type Html, openTickets, problemPage } from '../page.ts'
import { isSameSecret } from '../listen.ts'

/** A request's redirect URI and state. */
export interface RedirectTarget {
  readonly redirectUri: string
  readonly state: string | undefined
}

/** An OAuth error: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1. */
export interface OAuthError {
  readonly error: string
  readonly error_description: string
}

/** The result of validation: a request to show, an error for the client, or an error for the person. */
export type ConsentDecision<Q> = { readonly question: Q } | { readonly refused: OAuthError & RedirectTarget } | { readonly problem: string }

/** Options in which vendors' consent pages differ. */
export interface ConsentOptions<Q extends RedirectTarget> {
  readonly path: string
  readonly now: () => number
  readonly validate: (query: Readonly<Record<string, string>>) => ConsentDecision<Q>
  readonly page: (question: Q, ticket: string) => Html
  /** Query parameters of the redirect, or the URL to redirect to instead. */
  readonly approve: (question: Q, form: URLSearchParams) => Promise<Readonly<Record<string, string>> | string>
}

/** Lifetime of a consent page, in milliseconds. */
const pageLifetimeMs = 10 * 60_000
const title = 'This cannot be authorized'

/** The consent page, which can be answered once, in a browser on this machine. */
export function consentRoutes<Q extends RedirectTarget>({ path, now, validate, page, approve }: ConsentOptions<Q>): Hono {
  const tickets = openTickets<Q>({ now, lifetimeMs: pageLifetimeMs })
  const app = new Hono()
  const problem = (context: Context, text: string) => {
    guardPages(context, { forms: false })
    return context.html(problemPage(title, text), 400)
  }
  app.use(path, ...browserOnly)
  app.get(path, (context) => {
    const decision = validate(context.req.query())
    if ('problem' in decision) return problem(context, decision.problem)
    if ('refused' in decision) return context.redirect(redirectBack(decision.refused, pick(decision.refused)))
    const { question } = decision
    guardPages(context, { redirectOrigin: new URL(question.redirectUri).origin })
    return context.html(page(question, tickets.issue(question)))
  })
  app.post(path, async (context) => {
    const form = new URLSearchParams(await context.req.text())
    const question = tickets.take(form.get('ticket') ?? '')
    if (question === undefined) return problem(context, 'This page has already been answered, or has expired. Start again.')
    if (form.get('decision') !== 'allow') return context.redirect(redirectBack(question, errorRedirect), 303)
    const result = await approve(question, form)
    return context.redirect(typeof result === 'string' ? result : redirectBack(question, result), 303)
  })
  app.all(path, (context) => context.text('Method Not Allowed', 405, { allow: 'GET, POST' }))
  return app
}

/** The error that a client gets if the person refuses. */
export const errorRedirect: Readonly<Record<string, string>> = { error: 'access_denied', error_description: 'The person refused.' }

const pick = ({ error, error_description: description }: OAuthError) => ({ error, error_description: description })

/** The redirect URI with a response's parameters. */
export function redirectBack({ redirectUri, state }: RedirectTarget, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  if (state !== undefined) address.searchParams.set('state', state)
  return address.href
}

/** An OAuth client. */
export interface RegisteredClient {
  readonly id: string
  /** Its name on the consent page. */
  readonly name: string
  /** Absent for a public client. */
  readonly secret?: string
}

/** True if the secret is correct; a public client accepts any. */
export function isClientSecret({ secret }: RegisteredClient, candidate: string | null): boolean {
  return secret === undefined || (candidate !== null && isSameSecret(candidate, secret))
}

/** A person who can consent. */
export interface ConsentPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The person whose address is the `login_hint`; the first person if nobody matches. */
export const hintedPerson = (people: readonly ConsentPerson[], hint: string | undefined): ConsentPerson | undefined =>
  people.find(({ email }) => email === hint?.toLowerCase()) ?? people[0]

/** The consent page's field in which people say who they are. */
export const personField = (people: readonly ConsentPerson[], selected: string): Html =>
  html`<p>
    <label for="person">Account:</label>
    <select name="person" id="person">
      ${people.map(({ id, name, email }) => html`<option value="${email}" ${id === selected ? 'selected' : ''}>${name} (${email})</option>`)}
    </select>
  </p>`

/** The person named in a consent form, or the preselected one if the form names nobody; undefined if the person is unknown. */
export function personInForm(form: URLSearchParams, people: readonly ConsentPerson[], selected: string): ConsentPerson | undefined {
  const address = form.get('person')
  return people.find(({ id, email }) => (address === null ? id === selected : email === address))
}
