import {
  consentRoutes,
  type ConsentDecision,
  type ConsentPerson,
  type OAuthGrant,
  type Grants,
  errorRedirect,
  hintedPerson,
  personField,
  personInForm,
  redirectBack,
  type RedirectTarget,
} from '@mcp-toolkits/emulator/oauth'
import { document, type Html } from '@mcp-toolkits/emulator'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import { grantee, type Viewer } from '../store/viewers.ts'
import { describeScope, type GoogleClient, isAllowedRedirect, isOptionalScope, parseScopes, pickerScope } from './tokens.ts'

/** A validated authorization request. */
interface ConsentRequest extends RedirectTarget {
  readonly client: GoogleClient
  readonly people: readonly ConsentPerson[]
  /** The preselected person. */
  readonly person: string
  readonly scopes: readonly string[]
  /** True if scopes that the person granted earlier are included. */
  readonly includesGranted: boolean
  readonly challenge: string | null
  /** The consents for which a refresh token is issued: all, only a person's first, or none. */
  readonly offline: 'always' | 'first' | 'never'
  /** The picker after consent, if requested. */
  readonly picker: PickerParameters | undefined
}

/** Items that a picker offers, and the application asking for them. */
export interface PickerRequest {
  /** The person whose items are offered. */
  readonly viewer: Viewer
  /** The application's name. */
  readonly app: string
  /** True if several items can be picked. */
  readonly multiple: boolean
  /** True if folders can be picked. */
  readonly folders: boolean
  /** File types on offer; all if empty. */
  readonly mimeTypes: readonly string[]
  /** Items on offer; all if empty. */
  readonly fileIds: readonly string[]
  /** The URL to redirect to, given the picked ids, or undefined after a cancellation; if absent, a final page is shown. */
  readonly redirectUrl?: (ids: readonly string[] | undefined) => Promise<string>
  /** The origin of that URL. */
  readonly redirectOrigin?: string
}

/** The picker's parameters: https://developers.google.com/workspace/drive/picker/guides/overview-desktop. */
type PickerParameters = Pick<PickerRequest, 'multiple' | 'folders' | 'mimeTypes' | 'fileIds'>

/** Registered clients, and the people who can consent. */
interface ConsentContext {
  readonly clients: readonly GoogleClient[]
  readonly people: readonly ConsentPerson[]
}

type Query = Readonly<Record<string, string>>

/** Validates an authorization request: https://developers.google.com/identity/protocols/oauth2/native-app. Errors are shown to the person. */
function parseConsentRequest(query: Query, { clients, people }: ConsentContext): ConsentDecision<ConsentRequest> {
  const client = clients.find(({ id }) => id === query['client_id'])
  const target: RedirectTarget = { redirectUri: query['redirect_uri'] ?? '', state: query['state'] }
  if (client === undefined) return { problem: 'Error 401: invalid_client. The OAuth client was not found.' }
  if (!isAllowedRedirect(client, target.redirectUri))
    return { problem: 'Error 400: redirect_uri_mismatch. The client may not redirect there.' }
  const parsed = parseScopes(query['scope'] ?? '')
  if ('unknown' in parsed) return { problem: `Error 400: invalid_scope. Some requested scopes were invalid: ${parsed.unknown}` }
  const problem = findRequestError(query, parsed.scopes)
  if (problem !== undefined) return { problem: `Error 400: invalid_request. ${problem}` }
  const prompts = parsePrompts(query)
  if (prompts.includes('none')) {
    return { refused: { error: 'interaction_required', error_description: 'The person has to be asked.', ...target } }
  }
  return {
    question: {
      ...target,
      client,
      people,
      person: hintedPerson(people, query['login_hint'])?.id ?? '',
      scopes: parsed.scopes,
      includesGranted: query['include_granted_scopes'] === 'true',
      challenge: query['code_challenge'] ?? null,
      offline: query['access_type'] !== 'offline' ? 'never' : prompts.includes('consent') ? 'always' : 'first',
      picker: query['trigger_onepick'] === 'true' ? parsePickerParameters(query) : undefined,
    },
  }
}

const listOf = (text: string | undefined) => (text ?? '').split(',').filter((part) => part !== '')
const parsePrompts = ({ prompt }: Query) => (prompt ?? '').split(/ +/).filter((each) => each !== '')

const parsePickerParameters = (query: Query): PickerParameters => ({
  multiple: query['allow_multiple'] === 'true',
  folders: query['allow_folder_selection'] === 'true',
  mimeTypes: listOf(query['mimetypes']),
  fileIds: listOf(query['file_ids']),
})

const flags = ['include_granted_scopes', 'trigger_onepick', 'allow_multiple', 'allow_folder_selection']

/** The error in a request whose client and scopes are valid. */
function findRequestError(query: Query, scopes: readonly string[]): string | undefined {
  const { response_type: responseType, access_type: accessType = 'online', code_challenge: challenge } = query
  if (responseType === undefined) return 'Required parameter is missing: response_type'
  if (responseType !== 'code') return 'response_type must be code.'
  if (scopes.length === 0) return 'Missing required parameter: scope'
  if (accessType !== 'online' && accessType !== 'offline') return 'access_type must be online or offline.'
  if (challenge !== undefined && query['code_challenge_method'] !== 'S256') return 'code_challenge_method must be S256.'
  if (challenge === undefined && query['code_challenge_method'] !== undefined) return 'code_challenge is missing.'
  const invalidFlag = flags.find((name) => !['true', 'false', undefined].includes(query[name]))
  if (invalidFlag !== undefined) return `${invalidFlag} must be true or false.`
  const prompts = parsePrompts(query)
  const isKnown = prompts.every((each) => ['none', 'consent', 'select_account'].includes(each))
  if (!isKnown || (prompts.includes('none') && prompts.length > 1)) return 'prompt must be none, or consent and select_account.'
  return query['trigger_onepick'] === 'true' ? findPickerError(query, { scopes, prompts }) : undefined
}

function findPickerError(query: Query, { scopes, prompts }: Readonly<Record<'scopes' | 'prompts', readonly string[]>>): string | undefined {
  if (scopes.length !== 1 || scopes[0] !== pickerScope) return `trigger_onepick requires ${pickerScope} as the only scope.`
  if (!prompts.includes('consent')) return 'trigger_onepick needs prompt=consent.'
  if (query['include_granted_scopes'] === 'true') return 'trigger_onepick cannot be combined with include_granted_scopes.'
  return undefined
}

/** The consent page. `ticket` is the one-time token of its form. */
function consentPage({ client, people, person, scopes, redirectUri, picker }: ConsentRequest, ticket: string): Html {
  return document(
    `Give ${client.name} access?`,
    html`<p><strong>This is not Google.</strong> It is an emulator of Google Drive on this machine.</p>
      <p>${client.name} asks for access to the account below. It may then:</p>
      <form method="post" action="/o/oauth2/v2/auth">
        <input type="hidden" name="ticket" value="${ticket}" />
        <ul class="plain items">
          ${scopes.map((scope, index) => scopeLine(scope, { index, isAlone: scopes.length === 1 }))}
        </ul>
        ${personField(people, person)} ${picker === undefined ? '' : html`<p>You choose the files on the next page.</p>`}
        <p>You'll return to <code>${new URL(redirectUri).host}</code>.</p>
        <p class="row">
          <button class="main" name="decision" value="allow">Allow</button>
          <button name="decision" value="refuse">Refuse</button>
        </p>
      </form>`,
  )
}

/** A single scope has no checkbox: refusing it refuses the request. */
function scopeLine(scope: string, { index, isAlone }: { readonly index: number; readonly isAlone: boolean }): Html {
  const words = html`${describeScope(scope)}<small>${scope}</small>`
  if (isAlone || !isOptionalScope(scope)) return html`<li><span>${words}</span></li>`
  return html`<li>
    <input type="checkbox" name="scope" value="${scope}" id="scope-${index}" checked />
    <label for="scope-${index}">${words}</label>
  </li>`
}

interface AuthorizeOptions {
  readonly clients: readonly GoogleClient[]
  readonly grants: Grants
  readonly openPicker: (request: PickerRequest) => { readonly path: string }
  readonly now: () => number
  readonly people: () => readonly ConsentPerson[]
  /** The viewer for a person, with a My Drive. */
  readonly viewerFor: (personId: string) => Promise<Viewer>
}

/** The consent page and the redirect: https://developers.google.com/identity/protocols/oauth2/native-app. */
export function authorizeRoutes({ clients, grants, openPicker, now, people, viewerFor }: AuthorizeOptions): Hono {
  return consentRoutes<ConsentRequest>({
    path: '/o/oauth2/v2/auth',
    now,
    validate: (query) => parseConsentRequest(query, { clients, people: people() }),
    page: consentPage,
    async approve(question, form) {
      const scopes = readConsent(question, form.getAll('scope'))
      const person = personInForm(form, question.people, question.person)
      if (scopes.length === 0 || !person) return errorRedirect
      const viewer = await viewerFor(person.id)
      const redirectParameters = async (more: Readonly<Record<string, string>>) => ({
        ...(await redirectWithAnswer(grants, question, { scopes, viewer })),
        ...more,
      })
      const { picker, client, redirectUri } = question
      if (picker === undefined) return redirectParameters({})
      const { path } = openPicker({
        ...picker,
        viewer,
        app: client.name,
        redirectOrigin: new URL(redirectUri).origin,
        redirectUrl: async (ids) =>
          redirectBack(question, ids === undefined ? errorRedirect : await redirectParameters({ picked_file_ids: ids.join(',') })),
      })
      return path
    },
  })
}

/** The scopes that the person granted. */
function readConsent({ scopes }: ConsentRequest, ticked: readonly string[]): readonly string[] {
  return scopes.length === 1 ? scopes : scopes.filter((scope) => !isOptionalScope(scope) || ticked.includes(scope))
}

interface Consented {
  readonly scopes: readonly string[]
  readonly viewer: Viewer
}

async function redirectWithAnswer(grants: Grants, { client, redirectUri, challenge, ...question }: ConsentRequest, given: Consented) {
  const earlier = activeGrants(grants.list(), { clientId: client.id, viewer: given.viewer })
  const scopes = [...new Set([...given.scopes, ...(question.includesGranted ? earlier.flatMap((grant) => grant.scopes) : [])])]
  const hasRefreshToken = earlier.some((grant) => grant.offline)
  const offline = question.offline === 'always' || (question.offline === 'first' && !hasRefreshToken)
  const code = await grants.consent({ redirectUri, challenge, person: grantee(given.viewer), clientId: client.id, scopes, offline })
  return { code, scope: scopes.join(' '), authuser: '0' }
}

/** A person's unrevoked grants to a client. */
const activeGrants = (grants: readonly OAuthGrant[], { clientId, viewer }: { readonly clientId: string; readonly viewer: Viewer }) =>
  grants.filter((grant) => grant.clientId === clientId && grant.revokedAt === null && (grant.person ?? undefined) === grantee(viewer))
