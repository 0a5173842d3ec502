import { Forbidden, rememberSecret, ToolError, Unauthenticated, withDetails } from '@mcp-toolkits/core/errors'
import {
  type OAuthProvider,
  identify,
  removalHint,
  type AuthorizationCode,
  oauthClient,
  missingScopes,
  type ActiveLogin,
} from '@mcp-toolkits/server/account'
import type { Attempt } from './browser-state.ts'
import { type VendorConsent, vendorConsent } from './link-flow.ts'
import {
  attemptProblemPage,
  connectedPage,
  declinedPage,
  failedPage,
  linkProblemPage,
  notDoneTitle,
  unknownLinkPage,
} from './connect-pages.ts'
import { accountsPath, type ConnectParts, callbackPath, type Reply } from './connect-context.ts'
import type { StoredLink } from './connect-records.ts'
import type { VendorAccount } from './connect-steps.ts'
import { recordConnect } from './connection-events.ts'
import { grantStore, revokeUnstored } from '../accounts/grants.ts'
import { stateIn } from './sign-in.ts'
import { type GrantStorage, linkProblem, storeGrant } from '../accounts/link-grants.ts'

/** Parameters that the browser brought back from a vendor. */
interface ConsentReturn {
  readonly link: StoredLink
  readonly attempt: Attempt
  readonly query: URLSearchParams
  readonly consent: VendorConsent
}

/** Handles a person's return from the vendor. */
export async function finishConsent(parts: ConnectParts, request: Request, query: URLSearchParams): Promise<Reply> {
  const { attempts, links, account } = parts
  const state = stateIn(query)
  const attempt = await attempts.take(request, state, 'consent')
  if (typeof attempt === 'string') return { page: attemptProblemPage(attempt) }
  // Not the code: see `sign-in.ts`.
  for (const secret of [state, attempt.verifier]) rememberSecret(secret)
  const cookies = [attempts.clear(state)]
  const link = attempt.link && (await links.get(attempt.link))
  const consent = link && vendorConsent(parts, link)
  if (!account || !link || !consent) return { page: unknownLinkPage, cookies }
  const problem = await linkProblem(links, link)
  if (problem) return { page: linkProblemPage(problem, parts.urls.url(accountsPath)), cookies }
  try {
    return { ...(await complete(parts, account, { link, attempt, query, consent })), cookies }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    recordConnect(parts, link, error.code)
    return { page: failedPage(notDoneTitle(consent.provider.name, link.purpose), error), cookies }
  }
}

async function complete(parts: ConnectParts, account: VendorAccount, answer: ConsentReturn): Promise<Reply> {
  const { links, steps, state, fetch, urls } = parts
  const { link, attempt, query, consent } = answer
  const { provider, target } = consent
  if (query.get('error') === 'access_denied') {
    await links.setOutcome(link.key, 'declined')
    recordConnect(parts, link, 'declined')
    return { page: declinedPage(provider.name, link.purpose) }
  }
  const code = { code: codeIn(query, provider.name), verifier: attempt.verifier, redirectUri: urls.url(callbackPath) }
  if (link.purpose === 'account') return connect(parts, account, { link, code, consent })
  if (!steps.picker) return { page: unknownLinkPage }
  const login = await grantStore(state, link.key.owner).read({ server: parts.server.name, profile: link.profile })
  const { isDone, page } = await steps.picker.finish({ query, code, target, login, fetch }, new AbortController().signal)
  await links.setOutcome(link.key, isDone ? 'done' : 'declined')
  recordConnect(parts, link, isDone ? 'ok' : 'declined', login?.account)
  return { page }
}

/** Only error codes are repeated, not the provider's text: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
function codeIn(query: URLSearchParams, vendor: string): string {
  const error = query.get('error')
  const known = /^[a-z_]{1,40}$/.exec(error ?? '')?.[0]
  if (error !== null) throw new Forbidden(`${vendor} refused the request${known === undefined ? '' : ` (${known})`}.`)
  const [code = '', ...more] = query.getAll('code')
  if (code !== '' && more.length === 0) return code
  throw new Unauthenticated(`${vendor} sent the browser back without a code.`)
}

interface GrantedCode {
  readonly link: StoredLink
  readonly code: AuthorizationCode
  readonly consent: VendorConsent
}

/** Stores the grant for a code and has the replaced grant's tokens revoked. If storing fails, the new tokens are revoked. */
async function connect(parts: ConnectParts, account: VendorAccount, { link, code, consent }: GrantedCode): Promise<Reply> {
  const { state, fetch, clock, log, urls } = parts
  const { provider, target } = consent
  const { owner } = link.key
  const client = oauthClient({ provider, target, fetch, clock })
  const { tokens, scopes = consent.scopes } = await client.exchangeCode(code, new AbortController().signal)
  const revocation = { state, provider, fetch, clock }
  const { login, stored } = await storeLogin(parts, account, { link, provider, login: { ...target, scopes, tokens } })
  recordConnect(parts, link, stored.isStored ? 'ok' : stored.problem, login.account)
  if (!stored.isStored) {
    await revokeUnstored(revocation, owner, login)
    return { page: linkProblemPage(stored.problem, urls.url(accountsPath)) }
  }
  const { replaced } = stored
  const problem = replaced?.kind === 'login' ? await revokeUnstored(revocation, owner, replaced.login) : undefined
  const fields = { purpose: link.purpose, person: owner, profile: link.profile }
  if (problem) log.warn('connect', { outcome: 'not revoked', problem: problem.message, ...fields })
  // The account is connected, whether or not the page can say whose it is.
  const name = await parts.links.nameOf(link.key).catch(() => undefined)
  const missing = missingScopes(consent.scopes, scopes, provider.scopes)
  return { page: connectedPage(provider.name, login.account, { name, profile: link.profile, missing, problem }) }
}

/**
 * Stores a login; resolves with the login, its account and the storage result. After an error, the login's tokens are revoked, unless they
 * were stored anyway.
 */
async function storeLogin(
  parts: ConnectParts,
  { config }: VendorAccount,
  { link, provider, login }: { readonly link: StoredLink; readonly provider: OAuthProvider; readonly login: Omit<ActiveLogin, 'account'> },
): Promise<{ readonly login: ActiveLogin; readonly stored: GrantStorage }> {
  const { state, fetch, clock } = parts
  try {
    const complete = { ...login, ...(await identify(config, login, { fetch, clock })) }
    return { login: complete, stored: await storeGrant(parts, link, { kind: 'login', login: complete }) }
  } catch (error) {
    const problem = await revokeUnstored({ state, provider, fetch, clock }, link.key.owner, login)
    if (!problem || !(error instanceof ToolError)) throw error
    const text = error.text.and(`${provider.name} still accepts the login:`, problem.text, removalHint)
    throw withDetails(error, text, error.details)
  }
}
