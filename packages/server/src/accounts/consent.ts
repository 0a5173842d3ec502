import { Forbidden, Unauthenticated, type ToolError } from '@mcp-toolkits/core'
import { consentUrl, newAttempt, until, type BroughtCode, type Provider } from '@mcp-toolkits/core/accounts'
import { awaitReturn, type Brought } from './listener.ts'
import type { Page } from './page.ts'

export { askedBySettings, type Asked } from './asked.ts'
export type { Page } from './page.ts'

export interface ConsentOptions {
  readonly provider: Provider
  /** The page where a person consents. */
  readonly endpoint: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Where the browser returns to on this machine; 0 lets the system choose. */
  readonly port: number
  /** Shows the person the address to open. */
  readonly show: (url: string) => Promise<void>
  readonly signal: AbortSignal
  /** What pages say, where this is not a sign-in: a title before it has ended, and the page when it fails. */
  readonly pages?: { readonly title: string; readonly failed: (error: unknown) => Page }
}

/** What came of a consent: the result, and what the browser is told about it. */
export interface Settled<Result> {
  readonly result: Result
  readonly page: Page
}

/**
 * Has a person consent in a browser, and settles what the browser brings back; the browser is told how that ended. Throws what `settle`
 * throws, `Forbidden` when the person or the provider refused, and the signal's reason.
 */
export async function consent<Result>(
  options: ConsentOptions,
  settle: (code: BroughtCode, query: URLSearchParams) => Promise<Settled<Result>>,
): Promise<Result> {
  const { provider, endpoint, clientId, scopes, port, show, signal } = options
  const { title, failed } = options.pages ?? signInPages(provider)
  const attempt = newAttempt()
  const path = provider.redirectPath === undefined ? {} : { path: provider.redirectPath }
  const returning = await awaitReturn({ state: attempt.state, port, title, ...path })
  try {
    const { redirectUri } = returning
    await show(consentUrl(provider, { endpoint, clientId, redirectUri, scopes, ...attempt }))
    const brought = await until(returning.brought, signal)
    try {
      const code = { code: codeIn(brought, provider), verifier: attempt.verifier, redirectUri }
      const { result, page } = await settle(code, brought.query)
      await brought.answer(page)
      return result
    } catch (error) {
      await brought.answer(failed(error))
      throw error
    }
  } finally {
    await returning.close()
  }
}

/** The code that a browser brought. Throws what the provider says instead of one, by the word that the protocol fixes for it. */
function codeIn({ query }: Brought, { name }: Provider): string {
  const refused = query.get('error')
  if (refused !== null) throw refusalOf(name, /^[a-z_]{1,40}$/.exec(refused)?.[0])
  const codes = query.getAll('code')
  const [code = ''] = codes
  if (codes.length === 1 && code !== '') return code
  throw new Unauthenticated(`${name} sent the browser back without a code. Sign in again.`)
}

function refusalOf(name: string, word: string | undefined): ToolError {
  if (word === 'access_denied') return new Forbidden(`The request was refused at ${name}, so nothing has changed.`)
  if (word === 'invalid_scope') return new Forbidden(`${name} does not know a scope that was asked for. Look at --scopes.`)
  return new Forbidden(`${name} refused the request${word === undefined ? '' : ` (${word})`}.`)
}

function signInPages({ name }: Provider): NonNullable<ConsentOptions['pages']> {
  return {
    title: `Sign-in to ${name}`,
    failed(error) {
      const why = error instanceof Unauthenticated || error instanceof Forbidden ? [error.message] : []
      const paragraphs = [...why, 'The command that you started says more. You can close this page.']
      return { status: 400, title: `Not signed in to ${name}`, paragraphs }
    },
  }
}
