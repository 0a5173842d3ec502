import { expect } from 'vitest'

/** Responses of a vendor, or of an OAuth provider, that repeat all that they were sent. */
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

/** Fails when a text contains one of the secrets, each of which must be long enough to be unique. */
export function expectNoSecrets(texts: readonly string[], secrets: Iterable<string>): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10)
    for (const text of texts) expect(text).not.toContain(secret)
  }
}

/** Runs calls and collects what they throw. */
export function collectErrors() {
  const thrown: unknown[] = []
  const attempt = async (call: () => Promise<unknown>): Promise<void> => {
    await call().catch((error: unknown) => thrown.push(error))
  }
  return { thrown, attempt }
}
