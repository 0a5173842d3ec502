import { expect } from 'vitest'

type Sent = readonly [status: number, body: unknown]

/** Answers of a vendor, or of the provider behind it, that repeat all that they were sent. */
export function answersThatRepeat(secrets: Iterable<string>, more: object = {}): readonly Sent[] {
  const echoed = [...secrets].join(' ')
  const body = { error: echoed, error_description: echoed, ...more }
  return [
    [400, body],
    [401, body],
    [500, body],
    [200, echoed],
    [200, { access_token: `${echoed}\n` }],
  ]
}

/** Fails when a text holds one of the secrets, each of which is long enough to be told from any other word. */
export function expectNoSecretIn(texts: readonly string[], secrets: Iterable<string>): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10)
    for (const text of texts) expect(text).not.toContain(secret)
  }
}

/** Collects what calls throw. */
export function thrownBy() {
  const thrown: unknown[] = []
  const attempt = async (call: () => Promise<unknown>) => {
    await call().then(
      () => undefined,
      (error: unknown) => thrown.push(error),
    )
  }
  return { thrown, attempt }
}
