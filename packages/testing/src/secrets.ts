import { parseJson } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { expect } from 'vitest'
import type { ConnectedServer } from './connect.ts'

/** Responses of a vendor, or an OAuth provider, that repeats everything it was sent. */
export function echoingResponses(secrets: Iterable<string>, more: object = {}): readonly (readonly [status: number, body: unknown])[] {
  const echo = [...secrets].join(' ')
  const body = { error: echo, error_description: echo, ...more }
  return [
    [400, body],
    [401, body],
    [500, body],
    [200, echo],
    [200, { access_token: `${echo}\n` }],
  ]
}

/** Fails if any text contains one of the secrets. Each must be long enough to be unique. */
export function expectNoSecrets(texts: readonly string[], secrets: Iterable<string>): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10)
    for (const text of texts) expect(text).not.toContain(secret)
  }
}

/** Makes calls and resolves with their results as text. Fails if one of them or the log shows the secret in any form. */
export async function expectNoEcho(
  server: ConnectedServer,
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
  secret: string,
): Promise<string[]> {
  const shown: string[] = []
  for (const [tool, args] of calls) shown.push(JSON.stringify(await server.result(tool, args)))
  expectNoSecrets([...shown, ...server.logLines], formsOf(secret))
  return shown
}

/** A secret as people and programs write it, and its beginning. */
export function formsOf(secret: string): string[] {
  // The end is left out, because it depends on the text after the secret.
  const base64 = Buffer.from(secret).toString('base64').slice(0, -4)
  return [secret, secret.slice(0, 12), encodeURIComponent(secret), base64]
}

/** A vendor to which every request appears to carry this credential. */
export function withAuthorization(fetch: Fetch, authorization: string): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.headers.set('authorization', authorization)
    return fetch(request)
  }
}

/** Runs calls and collects their errors. */
export function collectErrors() {
  const thrown: unknown[] = []
  const attempt = async (call: () => Promise<unknown>): Promise<void> => {
    await call().catch((error: unknown) => thrown.push(error))
  }
  return { thrown, attempt }
}

/** A vendor that repeats each request's credential; `real` answers as the vendor does. */
export interface EchoingVendor {
  readonly title: string
  readonly fetch: (real: Fetch) => Fetch
}

const statuses = [200, 302, 400, 401, 403, 404, 409, 413, 429, 500, 503]

/**
 * Vendors that repeat the credential everywhere: in the vendor's errors with every status, in headers, pages and text, and in the names and
 * values of successful results. `errorWith` turns a message into the vendor's error.
 */
export function echoingVendors(errorWith: (message: string, status: number) => unknown): EchoingVendor[] {
  const answering = (title: string, answer: (echo: string) => Response): EchoingVendor => ({
    title,
    fetch: () => (input, init) => Promise.resolve(answer(echoOf(new Request(input, init)))),
  })
  return [
    ...statuses.flatMap((status) => [
      answering(`an error with status ${status}`, (echo) => Response.json(errorWith(`No access with ${echo}.`, status), { status })),
      answering(`a long error with status ${status}`, (echo) =>
        Response.json(errorWith(`${'x'.repeat(280)} ${echo}`, status), { status, headers: { 'retry-after': '1' } }),
      ),
      answering(
        `a page with status ${status}`,
        (echo) => new Response(`<!doctype html><title>${echo}</title>`, { status, headers: { 'content-type': 'text/html' } }),
      ),
    ]),
    answering('headers', (echo) => {
      const headers = { location: `https://${encodeURIComponent(echo)}.example/?${encodeURIComponent(echo)}`, 'www-authenticate': echo }
      return new Response(null, { status: 302, headers: { ...headers, 'retry-after': echo, 'x-ratelimit-requests-reset': echo } })
    }),
    answering('JSON of another shape', (echo) => Response.json({ [echo]: [echo] })),
    {
      title: 'the texts of a successful result',
      fetch: (real) => async (input, init) => {
        const request = new Request(input, init)
        const response = await real(request.clone())
        const text = await response.text()
        const named = text.replace(
          /("(?:name|title|displayName|description)":")/g,
          (start) => `${start}${JSON.stringify(echoOf(request)).slice(1, -1)} `,
        )
        return parseJson(text) === undefined
          ? new Response(text, response)
          : new Response(named, { status: response.status, headers: { 'content-type': 'application/json' } })
      },
    },
  ]
}

/** The credential as a request carries it, and as people and programs write it. */
function echoOf({ headers }: Request): string {
  const header = headers.get('authorization') ?? ''
  const value = header.replace(/^(?:Basic|Bearer) /, '')
  const user = header.startsWith('Basic ') ? Buffer.from(value, 'base64').toString().replace(/:$/, '') : value
  return [
    header,
    value,
    user,
    encodeURIComponent(user),
    JSON.stringify(JSON.stringify(user)),
    Buffer.from(`${user}:`).toString('base64'),
  ].join(' ')
}
