import { expect, it } from 'vitest'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { withLogin } from './token-manager.ts'

interface Sent {
  readonly authorization: string | null
  readonly body: string
  readonly redirect: string
}

/** A vendor that accepts one token, and a token manager that provides two in turn. */
function vendor({ good, tokens, answer }: { good: string; tokens: readonly string[]; answer?: Response }) {
  const sent: Sent[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const authorization = request.headers.get('authorization')
    sent.push({ authorization, body: await request.text(), redirect: request.redirect })
    return authorization === `Bearer ${good}` ? (answer ?? new Response('done')) : new Response('no', { status: 401 })
  }
  const [first = '', second = ''] = tokens
  const tokenManager = {
    accessToken: () => Promise.resolve(new Secret(first)),
    replaceToken: () => Promise.resolve(new Secret(second)),
    endedError: () => new Unauthenticated('Sign in.', { next: { command: 'acme login' } }),
  }
  return { sent, fetch: withLogin(fetch, 'https://api.acme.example/v1', tokenManager) }
}

const url = 'https://api.acme.example/v1/things'

it('repeats the request once with another token when the first is refused', async () => {
  const { fetch, sent } = vendor({ good: 't-2', tokens: ['t-1', 't-2'] })
  const response = await fetch(url, { method: 'POST', body: 'the body' })
  expect(await response.text()).toBe('done')
  expect(sent.map(({ authorization, body }) => [authorization, body])).toEqual([
    ['Bearer t-1', 'the body'],
    ['Bearer t-2', 'the body'],
  ])
})

it('throws what a person has to do when the second token is refused too', async () => {
  const { fetch, sent } = vendor({ good: 't-3', tokens: ['t-1', 't-2'] })
  await expect(fetch(new Request(url))).rejects.toMatchObject({ code: 'unauthenticated', details: { next: { command: 'acme login' } } })
  expect(sent).toHaveLength(2)
})

it.each(['https://acme.example/', 'https://evil.example/v1', 'http://api.acme.example/v1', 'https://api.acme.example:8443/v1'])(
  'sends no token to %s',
  async (other) => {
    const { fetch, sent } = vendor({ good: 't-1', tokens: ['t-1'] })
    await expect(fetch(other)).rejects.toThrow('configured origin')
    expect(sent).toEqual([])
  },
)

it('follows no redirect, even when the caller asks for it', async () => {
  const { fetch, sent } = vendor({ good: 't-1', tokens: ['t-1'], answer: new Response(null, { status: 307, headers: { location: url } }) })
  const response = await fetch(url, { redirect: 'follow' })
  expect([response.status, sent]).toMatchObject([307, [{ redirect: 'manual' }]])
})

it('passes the signal of the caller on', async () => {
  const caller = new AbortController()
  const signals: (AbortSignal | null | undefined)[] = []
  const fetch: Fetch = (_input, init) => {
    signals.push(init?.signal)
    return Promise.resolve(new Response('done'))
  }
  const tokens = {
    accessToken: () => Promise.resolve(new Secret('t')),
    replaceToken: () => Promise.reject(new Error('no')),
    endedError: () => new Unauthenticated('no'),
  }
  await withLogin(fetch, url, tokens)(url, { signal: caller.signal })
  expect(signals).toEqual([caller.signal])
})
