import { Secret, type Fetch } from '@mcp-toolkits/core'
import type { Provider } from '@mcp-toolkits/core/accounts'
import { expect, it } from 'vitest'
import { issuerOf } from './stored.ts'

it.each([
  ['https://acme.example/token?again=1', 'https://acme.example/token?again=1'],
  ['https://api.acme.example/revoke', 'https://api.acme.example/revoke'],
  ['https://evil.example/token', undefined],
  ['http://acme.example/token', undefined],
])('a provider’s own library that sends tokens to %s reaches %s', async (url, reached) => {
  const sent: Request[] = []
  const fetch: Fetch = (input, init) => {
    sent.push(new Request(input, init))
    return Promise.resolve(new Response('done'))
  }
  const provider: Provider = {
    name: 'Acme',
    endpoints: {
      authorization: 'https://acme.example/a',
      token: 'https://acme.example/token',
      revocation: 'https://api.acme.example/revoke',
    },
    scopeSeparator: ' ',
    scopes: { asked: [] },
    issuer: (options) => ({
      redeem: () => Promise.reject(new Error('Not asked here.')),
      renew: () => Promise.resolve(undefined),
      async revoke(token) {
        await options.fetch(url, { method: 'POST', body: token.reveal(), redirect: 'follow' })
      },
    }),
  }
  const login = { client: { id: 'desktop' }, tokenUrl: provider.endpoints.token, revocationUrl: provider.endpoints.revocation }
  const revoking = issuerOf(provider, login, fetch).revoke(new Secret('t'), new AbortController().signal)
  if (reached === undefined) await expect(revoking).rejects.toThrow('leave the configured origin')
  else await revoking
  expect(sent.map((request) => [request.url, request.redirect])).toEqual(reached === undefined ? [] : [[reached, 'manual']])
})
