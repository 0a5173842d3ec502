import { createHmac } from 'node:crypto'
import { stringMember } from '@mcp-toolkits/core/base'
import { rememberSecret, ToolError } from '@mcp-toolkits/core/errors'
import type Provider from 'oidc-provider'
import { attemptProblemPage, foreignFormPage } from '../../connect/connect-pages.ts'
import { type Reply, signedInPath } from '../../connect/connect-context.ts'
import { isSameToken, newToken } from '../../connect/connect-records.ts'
import { newSignInSecrets, type SignedInPerson } from '../../connect/identity-provider.ts'
import { answerPage, type Route } from '../../connect/page-requests.ts'
import { scopesIn } from '../tokens/access-tokens.ts'
import { type AuthorizationParts, interactionCookie, noteUse } from '../authorization-parts.ts'
import { consentPage, expiredRequestPage, signInFailedPage, unavailablePage } from './consent-page.ts'
import { consentPath } from '../server-metadata.ts'
import { isOwnState, newState } from '../sign-in-records.ts'
import { isTemporarilyUnavailable } from '../storage.ts'

/** Serves the consent pages, and handles the return from the identity provider. */
export function serveConsentPages(
  parts: AuthorizationParts,
  currentProvider: () => Promise<Provider>,
): (request: Request) => Promise<Response | undefined> {
  const { urls, log, maySend } = parts
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    // Connect attempts come back to the same address.
    const isReturn = pathname === signedInPath && searchParams.getAll('state').some(isOwnState)
    if (!isReturn && !pathname.startsWith(`${consentPath}/`)) return undefined
    const route = isReturn ? returnRoute(parts, currentProvider) : consentRoute(parts, currentProvider, pathname)
    return answerPage({ urls, log, maySend, topic: 'authorization' }, route, request)
  }
}

function returnRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>): Route {
  const get: Route['get'] = async (request, query) =>
    finishSignIn({ parts, provider: await currentProvider(), request }, query).catch(explainUnavailable)
  return { get, isReturn: true }
}

function consentRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>, pathname: string): Route | undefined {
  const id = /^\/([\w-]+)$/.exec(pathname.slice(consentPath.length))?.[1]
  if (id === undefined) return undefined
  const asked = async (request: Request) => ({ parts, provider: await currentProvider(), request, id })
  return {
    get: (request) => asked(request).then(showConsent).catch(explainUnavailable),
    post: (request, form) =>
      asked(request)
        .then((consent) => answerConsent(consent, form))
        .catch(explainUnavailable),
  }
}

/** Shows people a page instead of clients' `temporarily_unavailable`. */
function explainUnavailable(error: unknown): Reply {
  if (isTemporarilyUnavailable(error)) return { page: unavailablePage }
  throw error
}

type Interaction = InstanceType<Provider['Interaction']>

/** An authorization request begun by a browser, with its provider. */
export interface ConsentRequest {
  readonly parts: AuthorizationParts
  readonly provider: Provider
  readonly request: Request
  /** The id of the authorization request. */
  readonly id: string
}

/** Asks whether a client may act for the person. Viewing the page changes nothing. */
async function showConsent(asked: ConsentRequest): Promise<Reply> {
  const { parts, provider, id } = asked
  const interaction = await findInteraction(asked)
  const client = interaction && (await provider.Client.find(stringMember(interaction.params, 'client_id') ?? ''))
  const redirectUri = stringMember(interaction?.params, 'redirect_uri')
  if (!interaction || !client || redirectUri === undefined) return { page: expiredRequestPage }
  const { server, urls, resources } = parts
  const wanted = scopesIn(stringMember(interaction.params, 'scope'))
  const page = consentPage({
    server: { title: server.title, host: urls.host },
    client: { id: client.clientId, name: client.clientName },
    redirectUri,
    scopes: resources.scopes.filter(({ name }) => wanted.includes(name)),
    action: `${consentPath}/${id}`,
    formToken: formTokenOf(parts, id),
  })
  // Browsers follow a form's redirect only to the origins listed for it: the identity provider's and the client's.
  return { page, formTargets: [...parts.formTargets, new URL(redirectUri).origin] }
}

/** Sends the person to the identity provider, or back to the client. */
async function answerConsent(asked: ConsentRequest, form: URLSearchParams): Promise<Reply> {
  const { parts, id } = asked
  const interaction = await findInteraction(asked)
  if (!interaction) return { page: expiredRequestPage }
  if (!isSameToken(form.get('form') ?? '', formTokenOf(parts, id))) return { page: foreignFormPage }
  if (form.get('decision') === 'cancel') return refuse(parts, interaction)
  if (form.get('decision') !== 'continue') return { page: foreignFormPage }
  const secrets = newSignInSecrets()
  const state = newState(secrets.state)
  const needsAccountPrompt = /\b(?:login|select_account)\b/.test(stringMember(interaction.params, 'prompt') ?? '')
  try {
    const location = await parts.identityProvider.signInUrl({
      ...secrets,
      state,
      redirectUri: parts.urls.url(signedInPath),
      needsAccountPrompt,
    })
    const cookie = await parts.signIns.begin(state, { interaction: id, verifier: secrets.verifier, nonce: secrets.nonce })
    return { location, cookies: [cookie] }
  } catch (error) {
    if (error instanceof ToolError) return { page: signInFailedPage(error) }
    throw error
  }
}

/** Continues when the browser returns from the identity provider. */
export async function finishSignIn({ parts, provider, request }: Omit<ConsentRequest, 'id'>, query: URLSearchParams): Promise<Reply> {
  const [state = ''] = query.getAll('state')
  const signIn = await parts.signIns.take(request, state)
  if (typeof signIn === 'string') return { page: attemptProblemPage(signIn) }
  for (const secret of [state, signIn.verifier]) rememberSecret(secret)
  const cookies = [parts.signIns.clear(state)]
  const interaction = await provider.Interaction.find(signIn.interaction)
  if (!interaction) return { page: expiredRequestPage, cookies }
  const { verifier, nonce } = signIn
  try {
    const answer = { query, redirectUri: parts.urls.url(signedInPath), nonce, verifier }
    const person = await parts.identityProvider.completeSignIn(answer, request.signal)
    return { ...(await grant({ parts, provider }, interaction, person)), cookies }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    parts.log.warn('authorization', { outcome: error.code, step: 'sign in', problem: error.message })
    return { page: signInFailedPage(error), cookies }
  }
}

/** Stores the person's consent, and sends the browser to the client. */
async function grant(
  { parts, provider }: Pick<ConsentRequest, 'parts' | 'provider'>,
  interaction: Interaction,
  { issuer, subject }: SignedInPerson,
): Promise<Reply> {
  const { state, resources, knownRedirects, log } = parts
  const clientId = stringMember(interaction.params, 'client_id') ?? ''
  await state.people.remember({ issuer, subject })
  const owner = state.people.ownerOf({ issuer, subject })
  const authorization = new provider.Grant({ accountId: subject, clientId })
  authorization.jti = newToken(owner)
  const { resource } = interaction.params
  const wanted = scopesIn(stringMember(interaction.params, 'scope'))
  const scopes = resources.scopes.map(({ name }) => name).filter((scope) => wanted.includes(scope))
  for (const each of [resource].flat()) if (typeof each === 'string') authorization.addResourceScope(each, scopes)
  await authorization.save()
  await noteUse(parts, clientId)
  await knownRedirects.add(clientId, stringMember(interaction.params, 'redirect_uri') ?? '')
  log.info('authorization', { outcome: 'done', client: clientId, person: owner })
  return resume(interaction, { login: { accountId: subject, remember: false }, consent: { grantId: authorization.jti } })
}

function refuse({ log }: AuthorizationParts, interaction: Interaction): Promise<Reply> {
  log.info('authorization', { outcome: 'cancelled', client: stringMember(interaction.params, 'client_id') })
  return resume(interaction, { error: 'access_denied', error_description: 'The person cancelled.' })
}

async function resume(interaction: Interaction, result: NonNullable<Interaction['result']>): Promise<Reply> {
  interaction.result = result
  await interaction.persist()
  return { location: interaction.returnTo }
}

/** The request that this browser began; undefined if the request has ended, or if a different browser began it. */
async function findInteraction({ parts, provider, request, id }: ConsentRequest): Promise<Interaction | undefined> {
  const name = `${interactionCookie(parts.server)}=`
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((part) => part.trim())
  return cookies.includes(`${name}${id}`) ? provider.Interaction.find(id) : undefined
}

/** A token for one request's forms. Only the request's page contains it. */
function formTokenOf({ state }: AuthorizationParts, id: string): string {
  return createHmac('sha256', state.stateKey).update(`oauth consent ${id}`).digest('base64url')
}
