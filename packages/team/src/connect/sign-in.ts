import { rememberSecret, ToolError } from '@mcp-toolkits/core/errors'
import type { Attempt } from './browser-state.ts'
import { attemptProblemPage, notSignedInPage } from './connect-pages.ts'
import { type ConnectParts, type Reply, signedInPath, stepMs } from './connect-context.ts'
import type { StoredLink } from './connect-records.ts'
import { newSignInSecrets, type SignedInPerson } from './identity-provider.ts'

/** Sends a browser to the identity provider: for a link, or for the person's accounts. */
export async function beginSignIn({ attempts, identityProvider, links, urls }: ConnectParts, link: StoredLink | undefined): Promise<Reply> {
  const secrets = newSignInSecrets()
  const needsAccountPrompt = link !== undefined && (await links.needsAccountPrompt(link.key))
  try {
    const location = await identityProvider.signInUrl({ ...secrets, redirectUri: urls.url(signedInPath), needsAccountPrompt })
    const { state, verifier, nonce } = secrets
    const cookie = await attempts.begin(state, { step: 'sign in', link: link?.key, verifier, nonce }, stepMs)
    return { location, cookies: [cookie] }
  } catch (error) {
    if (error instanceof ToolError) return { page: notSignedInPage(error) }
    throw error
  }
}

export interface SignedIn {
  readonly attempt: Attempt
  readonly person: SignedInPerson
  /** Removes the attempt's cookie. */
  readonly cookie: string
}

/** The signed-in person, after the browser has returned from the identity provider; or the page that says why the sign-in failed. */
export async function finishSignIn(
  { attempts, identityProvider, urls, log }: ConnectParts,
  request: Request,
  query: URLSearchParams,
): Promise<SignedIn | Reply> {
  const state = stateIn(query)
  const attempt = await attempts.take(request, state, 'sign in')
  if (typeof attempt === 'string') return { page: attemptProblemPage(attempt) }
  const { nonce, verifier } = attempt
  // Not the code: anyone can send any text as a code, and a remembered secret is redacted wherever it occurs.
  for (const secret of [state, verifier]) rememberSecret(secret)
  const cookie = attempts.clear(state)
  try {
    const redirectUri = urls.url(signedInPath)
    const person = await identityProvider.completeSignIn({ query, redirectUri, nonce, verifier }, new AbortController().signal)
    return { attempt, person, cookie }
  } catch (error) {
    if (error instanceof ToolError) {
      log.warn('connect', { outcome: error.code, step: 'sign in', problem: error.message })
      return { page: notSignedInPage(error), cookies: [cookie] }
    }
    throw error
  }
}

/** The state of a return; empty, which matches no attempt, if there is not exactly one. */
export function stateIn(query: URLSearchParams): string {
  const [state = '', ...more] = query.getAll('state')
  return more.length === 0 ? state : ''
}
