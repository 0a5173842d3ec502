import { raceAbort, type TimeoutOptions, withTimeout } from '@mcp-toolkits/core/base'
import { Forbidden, rememberSecret, sentence, type ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { OAuthProvider } from '../account.ts'
import { openLoopbackServer } from './loopback-server.ts'
import { type AuthorizationCode, type AuthorizationRequest, authorizationUrl, newAuthorizationSecrets } from './oauth-client.ts'
import type { Page } from './page.ts'

export type { Page } from './page.ts'

export interface AuthorizationOptions extends Pick<AuthorizationRequest, 'endpoint' | 'clientId' | 'scopes'> {
  readonly provider: OAuthProvider
  /** Port on this machine that the browser returns to; 0 lets the system choose. */
  readonly port: number
  /** Shows the authorization request to the person. */
  readonly onUrl: (url: string) => Promise<void>
  readonly signal: AbortSignal
  /** Time, in milliseconds, that the person has to finish; unlimited by default. Later steps have separate limits. */
  readonly timeout?: Pick<TimeoutOptions, 'ms' | 'reason' | 'clock'>
  /** For any purpose but signing in: the title of pages that refuse a request, and the page for a failure. */
  readonly pages?: { readonly title: string; readonly failed: (error: unknown) => Page }
}

/** A result, and the page that the browser then shows. */
export interface AuthorizationOutcome<Result> {
  readonly result: Result
  readonly page: Page
}

/**
 * Asks a person to consent in a browser, and passes the code to `complete`; the browser shows the outcome. Throws `complete`'s errors,
 * `Forbidden` if the person or the provider refused, and the signal's reason.
 */
export async function authorize<Result>(
  options: AuthorizationOptions,
  complete: (code: AuthorizationCode, query: URLSearchParams) => Promise<AuthorizationOutcome<Result>>,
): Promise<Result> {
  const { provider, endpoint, clientId, scopes, port, onUrl, signal, timeout } = options
  const { title, failed } = options.pages ?? loginPages(provider)
  const secrets = newAuthorizationSecrets()
  const server = await openLoopbackServer({ state: secrets.state, port, title, path: provider.redirectPath })
  try {
    const { redirectUri } = server
    await onUrl(await authorizationUrl(provider, { endpoint, clientId, redirectUri, scopes, ...secrets }))
    const { query, respond } = await (timeout
      ? withTimeout({ ...timeout, signal }, (scope) => raceAbort(server.browserReturn, scope.signal))
      : raceAbort(server.browserReturn, signal))
    // Remembered only after the URL has been printed: otherwise, the state in the URL would have been redacted.
    for (const secret of [secrets.state, secrets.verifier, ...query.getAll('code')]) rememberSecret(secret)
    try {
      const code = { code: readCode(query, provider), verifier: secrets.verifier, redirectUri }
      const { result, page } = await complete(code, query)
      await respond(page)
      return result
    } catch (error) {
      await respond(failed(error))
      throw error
    }
  } finally {
    await server.close()
  }
}

function readCode(query: URLSearchParams, { name }: OAuthProvider): string {
  const error = query.get('error')
  if (error !== null) throw refusal(name, /^[a-z_]{1,40}$/.exec(error)?.[0])
  const [code = '', ...more] = query.getAll('code')
  if (code !== '' && more.length === 0) return code
  throw new Unauthenticated(`${name} sent the browser back without a code. Sign in again.`)
}

/** Includes the provider's error code, but never its text: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
function refusal(name: string, code: string | undefined): ToolError {
  if (code === 'access_denied') return new Forbidden(`The request was refused at ${name}, so nothing has changed.`)
  if (code === 'invalid_scope') return new Forbidden(sentence`${name} does not know a requested scope. Check ${{ option: '--scopes' }}.`)
  return new Forbidden(`${name} refused the request${code === undefined ? '' : ` (${code})`}.`)
}

function loginPages({ name }: OAuthProvider): NonNullable<AuthorizationOptions['pages']> {
  return {
    title: `Sign-in to ${name}`,
    failed(error) {
      const why = error instanceof Unauthenticated || error instanceof Forbidden ? [error.message] : []
      const paragraphs = [...why, 'The command that you started shows the details. You can close this page.']
      return { status: 400, title: `Not signed in to ${name}`, paragraphs }
    },
  }
}
