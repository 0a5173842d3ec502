import { expect, it } from 'vitest'
import { Unauthenticated } from '../errors.ts'
import type { Fetch } from '../http.ts'
import { Secret } from '../credentials.ts'
import { signedIn } from './signed-in.ts'

interface Sent {
  readonly authorization: string | null
  readonly body: string
  readonly redirect: string
}

/** A vendor that takes the given tokens, and an account that has them to give one after another. */
function vendor({ good, tokens, answer }: { good: string; tokens: readonly string[]; answer?: Response }) {
  const sent: Sent[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const authorization = request.headers.get('authorization')
    sent.push({ authorization, body: await request.text(), redirect: request.redirect })
    return authorization === `Bearer ${good}` ? (answer ?? new Response('done')) : new Response('no', { status: 401 })
  }
  const [first = '', second = ''] = tokens
  const account = {
    token: () => Promise.resolve(new Secret(first)),
    tokenAfter: () => Promise.resolve(new Secret(second)),
    refusal: () => new Unauthenticated('Sign in.', { next: { command: 'acme login' } }),
  }
  return { sent, fetch: signedIn(fetch, 'https://api.acme.example/v1', account) }
}

const url = 'https://api.acme.example/v1/things'

it('sends the same request once more with another token when the first is refused', async () => {
  const { fetch, sent } = vendor({ good: 't-2', tokens: ['t-1', 't-2'] })
  const response = await fetch(url, { method: 'POST', body: 'the body' })
  expect(await response.text()).toBe('done')
  expect(sent.map(({ authorization, body }) => [authorization, body])).toEqual([
    ['Bearer t-1', 'the body'],
    ['Bearer t-2', 'the body'],
  ])
})

it('says what to do when that is refused too', async () => {
  const { fetch, sent } = vendor({ good: 't-3', tokens: ['t-1', 't-2'] })
  await expect(fetch(new Request(url))).rejects.toMatchObject({ code: 'unauthenticated', details: { next: { command: 'acme login' } } })
  expect(sent).toHaveLength(2)
})

it.each(['https://acme.example/', 'https://evil.example/v1', 'http://api.acme.example/v1', 'https://api.acme.example:8443/v1'])(
  'takes no token to %s',
  async (other) => {
    const { fetch, sent } = vendor({ good: 't-1', tokens: ['t-1'] })
    await expect(fetch(other)).rejects.toThrow('configured origin')
    expect(sent).toEqual([])
  },
)

it('follows no redirect, whatever the caller asked for', async () => {
  const { fetch, sent } = vendor({ good: 't-1', tokens: ['t-1'], answer: new Response(null, { status: 307, headers: { location: url } }) })
  const response = await fetch(url, { redirect: 'follow' })
  expect([response.status, sent]).toMatchObject([307, [{ redirect: 'manual' }]])
})

it('hands the caller’s signal down', async () => {
  const caller = new AbortController()
  const signals: (AbortSignal | null | undefined)[] = []
  const fetch: Fetch = (_input, init) => {
    signals.push(init?.signal)
    return Promise.resolve(new Response('done'))
  }
  const account = {
    token: () => Promise.resolve(new Secret('t')),
    tokenAfter: () => Promise.reject(new Error('no')),
    refusal: () => new Unauthenticated('no'),
  }
  await signedIn(fetch, url, account)(url, { signal: caller.signal })
  expect(signals).toEqual([caller.signal])
})
