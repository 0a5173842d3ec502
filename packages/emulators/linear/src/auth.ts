import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type ActiveToken,
  addPost,
  addTokenRoute,
  type ConsentDecision,
  type ConsentPerson,
  consentRoutes,
  errorRedirect,
  type Grants,
  hintedPerson,
  isClientSecret,
  personField,
  personInForm,
  type RegisteredClient as Client,
  type RedirectTarget,
  refuse,
} from '@mcp-toolkits/emulator/oauth'
import { document, type Html } from '@mcp-toolkits/emulator'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { missingScope, notAuthenticated } from './errors.ts'

/** The caller, identified by the `Authorization` header. */
export interface Caller {
  readonly kind: 'key' | 'oauth'
  readonly scopes: readonly string[]
  /** The user who created the key, or who consented. */
  readonly viewerId: string
}

/** Credentials accepted by the emulator. */
export interface Credentials {
  readonly apiKey: string
  readonly accessToken: string
  readonly scopes: readonly string[]
  /** The user behind the key and the access token. */
  readonly viewerId: string
  /** A granted token; undefined if invalid. */
  readonly findToken: (accessToken: string) => Pick<ActiveToken, 'scopes' | 'person'> | undefined
  readonly isSuspended: (userId: string) => boolean
}

/** Accepts a bare personal key, or an OAuth token after `Bearer`, unless its user is suspended. */
export function authenticate(authorization: string | null, credentials: Credentials): Caller {
  const caller = callerOf(authorization, credentials)
  if (credentials.isSuspended(caller.viewerId)) throw notAuthenticated()
  return caller
}

function callerOf(authorization: string | null, credentials: Credentials): Caller {
  const { apiKey, accessToken, scopes, viewerId, findToken } = credentials
  if (authorization === null) throw notAuthenticated()
  if (isSameSecret(authorization, apiKey)) return { kind: 'key', scopes: allScopes, viewerId }
  if (isSameSecret(authorization, `Bearer ${accessToken}`)) return { kind: 'oauth', scopes, viewerId }
  const granted = authorization.startsWith('Bearer ') ? findToken(authorization.slice('Bearer '.length)) : undefined
  if (granted === undefined) throw notAuthenticated()
  return { kind: 'oauth', scopes: granted.scopes, viewerId: granted.person ?? viewerId }
}

const isSameSecret = (a: string, b: string) => timingSafeEqual(sha256(a), sha256(b))
const sha256 = (value: string) => createHash('sha256').update(value).digest()

/** The scopes of a personal key and, by default, of the access token. */
export const allScopes: readonly string[] = ['read', 'write', 'issues:create', 'comments:create', 'initiative:read', 'initiative:write']

const narrowScopes = new Map([
  ['issueCreate', 'issues:create'],
  ['attachmentCreate', 'issues:create'],
  ['commentCreate', 'comments:create'],
])

/** Refuses a root field whose scope the caller lacks. A few mutations accept a narrower scope than `write`. */
export function checkScope({ scopes }: Caller, kind: 'Query' | 'Mutation', field: string): void {
  const isInitiative = field.startsWith('initiative')
  const scope = kind === 'Query' ? (isInitiative ? 'initiative:read' : 'read') : isInitiative ? 'initiative:write' : 'write'
  if (!scopes.includes(scope) && !scopes.includes(narrowScopes.get(field) ?? scope)) throw missingScope(scope)
}

/** Refuses fields of initiatives, at any depth, to callers without the scope for initiatives; all data is then null. */
export function checkTypeScope({ scopes }: Caller, type: string): void {
  if (type.startsWith('Initiative') && !scopes.includes('initiative:read')) throw missingScope('initiative:read')
}

/** An OAuth application. One without a secret is public and needs PKCE. */
export interface LinearClient extends Client {
  /** Exact addresses; a loopback address without a port allows any port. */
  readonly redirectUris: readonly string[]
  /** Returns `scope` as an array, as for applications created before 1 December 2023. */
  readonly scopesAsArray?: boolean
}

/** A public client for programs on this machine: those that open a browser, and servers with many users. */
export const localClient: LinearClient = {
  id: 'lodestar-desktop',
  name: 'Lodestar Desktop',
  redirectUris: ['127.0.0.1', 'localhost'].flatMap((host) => [`http://${host}/callback`, `http://${host}/connect/callback`]),
}

const onLoopback = /^(http:\/\/(?:127\.0\.0\.1|localhost)):\d{1,5}(?=\/|$)/

/** True for a redirect address that the client registered. */
const isAllowedRedirect = ({ redirectUris }: LinearClient, address: string): boolean =>
  URL.canParse(address) && (redirectUris.includes(address) || redirectUris.includes(address.replace(onLoopback, '$1')))

/** Linear's scopes, as described on the consent page. */
const scopeDescriptions: ReadonlyMap<string, string> = new Map([
  ['read', 'Read everything that you can read'],
  ['write', 'Change what you can change'],
  ['issues:create', 'Create issues and attachments'],
  ['comments:create', 'Write comments'],
  ['timeSchedule:write', 'Change time schedules'],
  ['admin', 'Administer the workspace'],
  ['app:assignable', 'Be assigned to issues'],
  ['app:mentionable', 'Be mentioned'],
  ['customer:read', 'Read customers'],
  ['customer:write', 'Change customers'],
  ['initiative:read', 'Read initiatives'],
  ['initiative:write', 'Change initiatives'],
])

/** The scopes in a comma-separated list, always including `read`; or the first unknown scope. */
function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const requested = list.split(',').filter((scope) => scope !== '')
  const unknown = requested.find((scope) => !scopeDescriptions.has(scope))
  return unknown === undefined ? { scopes: [...new Set(['read', ...requested])] } : { unknown }
}

/** A request for access, on which a person must decide. */
interface ConsentQuestion extends RedirectTarget {
  readonly client: LinearClient
  readonly people: readonly ConsentPerson[]
  /** The preselected person. */
  readonly person: string
  readonly scopes: readonly string[]
  readonly challenge: string | null
}

/** The page on which a person grants or refuses access. A ticket can be used only once. */
function consentPage({ client, people, person, scopes, redirectUri }: ConsentQuestion, ticket: string): Html {
  return document(
    `Give ${client.name} access?`,
    html`<p><strong>This is not the vendor's service.</strong> It is a workspace on this machine.</p>
      <p>${client.name} asks for access to Lodestar with the account below. It may then:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${scopeDescriptions.get(scope) ?? scope} (<code>${scope}</code>)</li>`)}
      </ul>
      <p>You'll return to <code>${new URL(redirectUri).host}</code>.</p>
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${ticket}" />
        ${personField(people, person)}
        <p class="row">
          <button class="main" name="decision" value="allow">Allow</button>
          <button name="decision" value="refuse">Refuse</button>
        </p>
      </form>`,
  )
}

export interface OAuthContext {
  readonly clients: readonly LinearClient[]
  readonly grants: Grants
  readonly now: () => number
  /** The workspace's people, beginning with the first person. */
  readonly people: () => readonly ConsentPerson[]
}

/** The consent page, which a person answers in a browser on this machine. */
export function authorizeRoutes({ clients, grants, now, people }: OAuthContext): Hono {
  return consentRoutes<ConsentQuestion>({
    path: '/oauth/authorize',
    now,
    validate(query) {
      const client = clients.find(({ id }) => id === query['client_id'])
      if (client === undefined) return { problem: 'client_id names no application.' }
      if (!isAllowedRedirect(client, query['redirect_uri'] ?? '')) return { problem: 'redirect_uri is not registered for the application.' }
      return validateRequest({ client, people: people() }, query)
    },
    page: consentPage,
    async approve({ client, people: known, person: selected, ...question }, form) {
      const person = personInForm(form, known, selected)
      if (!person) return errorRedirect
      return { code: await grants.consent({ ...question, person: person.id, clientId: client.id, offline: true }) }
    },
  })
}

/** The question to ask the person, or the error to return to the application in a redirect. */
function validateRequest(
  { client, people }: Pick<ConsentQuestion, 'client' | 'people'>,
  query: Readonly<Record<string, string>>,
): ConsentDecision<ConsentQuestion> {
  const { response_type: responseType, code_challenge: challenge, code_challenge_method: method, actor = 'user' } = query
  const target: RedirectTarget = { redirectUri: query['redirect_uri'] ?? '', state: query['state'] }
  const refused = (error: string, description: string) => ({ refused: { error, error_description: description, ...target } })
  if (responseType !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  if (actor !== 'user') return refused('invalid_request', 'Only actor=user is offered here.')
  if (challenge === undefined && client.secret === undefined) return refused('invalid_request', 'A public client needs code_challenge.')
  if (challenge !== undefined && method !== 'S256') return refused('invalid_request', 'code_challenge_method must be S256.')
  const parsed = parseScopes(query['scope'] ?? '')
  if ('unknown' in parsed) return refused('invalid_scope', `Invalid scope: ${parsed.unknown}`)
  const person = hintedPerson(people, query['login_hint'])?.id ?? ''
  return { question: { client, people, person, scopes: parsed.scopes, challenge: challenge ?? null, ...target } }
}

/** The token and revoke endpoints, which take forms and return JSON. */
export function tokenRoutes({ clients, grants }: Pick<OAuthContext, 'clients' | 'grants'>): Hono {
  const app = new Hono()
  addTokenRoute<LinearClient>(app, {
    path: '/oauth/token',
    grants,
    disabled: ['client_credentials'],
    identifyClient(form) {
      const client = clients.find(({ id }) => id === form.get('client_id'))
      const isKnown = client !== undefined && isClientSecret(client, form.get('client_secret'))
      return isKnown ? client : { error: 'invalid_client', error_description: 'client_id or client_secret is wrong.' }
    },
    answer: ({ scopesAsArray = false }, { accessToken, refreshToken, expiresIn, scopes }) => ({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: scopesAsArray ? scopes : scopes.join(' '),
      refresh_token: refreshToken,
    }),
  })
  addPost(app, '/oauth/revoke', async (context, form) => {
    const token = form?.get('token') ?? ''
    if (token === '') return refuse(context, 'invalid_request', 'token must be given, as application/x-www-form-urlencoded.')
    return (await grants.revoke(token)) ? context.json({}) : context.json({ error: 'Unable to authenticate with the token.' }, 401)
  })
  return app
}
