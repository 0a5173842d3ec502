import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'

/** A person who can sign in. */
export interface KnownPerson {
  /** `sub` in their tokens. */
  readonly subject: string
  readonly name?: string
  readonly email?: string
  /** More claims in their tokens, such as `oid`. */
  readonly claims?: Readonly<Record<string, unknown>>
}

export interface SignInOptions {
  readonly provider: Provider
  readonly people: ReadonlyMap<string, KnownPerson>
  /** The person who signs in without a page. */
  readonly automatic: () => string | undefined
}

/** Serves the sign-in page at `/interaction/{id}`, and consents to everything that the client asks for. */
export async function answerSignIn(request: IncomingMessage, response: ServerResponse, options: SignInOptions): Promise<void> {
  const { provider, people, automatic } = options
  const { prompt, session, params } = await provider.interactionDetails(request, response)
  const form = new URLSearchParams(request.method === 'POST' ? await text(request) : '')
  const chosen = form.get('person') ?? automatic()
  if (form.get('decision') === 'refuse') {
    await provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'The person refused.' })
    return
  }
  if (prompt.name === 'login' && (chosen === undefined || !people.has(chosen))) {
    response.setHeader('content-type', 'text/html; charset=utf-8').setHeader('cache-control', 'no-store')
    response.end(signInPage(people))
    return
  }
  const accountId = prompt.name === 'login' ? chosen : session?.accountId
  if (accountId === undefined) throw new Error('A consent needs a session.')
  const grantId = await consentTo(provider, { accountId, params })
  const login = prompt.name === 'login' ? { login: { accountId } } : {}
  await provider.interactionFinished(request, response, { ...login, consent: { grantId } })
}

interface Consent {
  readonly accountId: string
  readonly params: Readonly<Record<string, unknown>>
}

async function consentTo(provider: Provider, { accountId, params }: Consent): Promise<string> {
  const { scope, client_id: clientId } = params
  const scopes = typeof scope === 'string' ? scope : ''
  const grant = new provider.Grant({ accountId, clientId: String(clientId) })
  grant.addOIDCScope(scopes)
  const resources: unknown[] = [params['resource']].flat()
  for (const resource of resources) if (typeof resource === 'string') grant.addResourceScope(resource, scopes)
  return grant.save()
}

/** Maximum number of people on the page. */
const most = 20

/** A page with a button for each person. */
function signInPage(people: ReadonlyMap<string, KnownPerson>): string {
  const buttons = [...people.values()]
    .slice(0, most)
    .map(({ subject, name = subject }) => `<p><button name="person" value="${escape(subject)}">${escape(name)}</button></p>`)
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<h1>Sign in</h1><form method="post">${buttons.join('')}<p><button name="decision" value="refuse">Cancel</button></p></form></html>`
}

const escape = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
