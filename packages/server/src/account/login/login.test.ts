import { ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { Secret } from '@mcp-toolkits/core/upstream'
import { expect, it } from 'vitest'
import { acme, acmeAccount } from '../../../test/account/acme.ts'
import { endpointsAt } from '../account.ts'
import { identify, revokeLogin } from './login.ts'

/** A provider that refuses to revoke some tokens, and the tokens that it received. */
function provider(refused: readonly string[] = []) {
  const received: string[] = []
  const revoke = (token: Secret) => {
    received.push(token.reveal())
    return refused.includes(token.reveal()) ? Promise.reject(new Unavailable(`No ${token.reveal()}.`)) : Promise.resolve()
  }
  return { received, revoke }
}

const [refreshToken, accessToken] = [new Secret('refresh'), new Secret('access')]

it.each([
  [[], undefined],
  [['refresh'], 'No refresh.'],
  [['access'], 'No access.'],
  [['refresh', 'access'], 'No refresh.'],
])('revokes both tokens, even when the first is refused (refused: %j)', async (refused, message) => {
  const { received, revoke } = provider(refused)
  const problem = await revokeLogin({ tokens: { refreshToken, accessToken } }, { revoke })
  expect([received, problem?.message]).toEqual([['refresh', 'access'], message])
})

it('revokes the tokens that there are', async () => {
  const { received, revoke } = provider()
  expect(await revokeLogin({ tokens: { accessToken } }, { revoke })).toBeUndefined()
  expect(await revokeLogin({}, { revoke })).toBeUndefined()
  expect(received).toEqual(['access'])
})

it('rethrows defects', async () => {
  const faulty = { revoke: () => Promise.reject(new TypeError('Ours.')) }
  await expect(revokeLogin({ tokens: { accessToken } }, faulty)).rejects.not.toBeInstanceOf(ToolError)
})

it('gives an id to an account that the vendor does not name, another one for each login', async () => {
  const login = { apiUrl: 'https://api.acme.example', tokens: { accessToken } }
  const unnamed = [() => Promise.resolve({}), () => Promise.reject(new Unavailable('Later.'))]
  const found = await Promise.all(unnamed.map((whoAmI) => identify({ ...acmeAccount, whoAmI }, login, {})))
  expect(found.map(({ account, accountId = '' }) => [account, accountId.length])).toEqual([0, 1].map(() => [{}, 36]))
  expect(new Set(found.map(({ accountId }) => accountId)).size).toBe(2)
  expect(await identify(acmeAccount, login, {})).toEqual({ account: { account: 'Ada' } })
})

it('moves all endpoints to another address, each under its own path', () => {
  expect(endpointsAt(acme, undefined)).toEqual(acme.endpoints)
  expect(endpointsAt(acme, 'http://127.0.0.1:4000/emulated')).toEqual({
    authorization: 'http://127.0.0.1:4000/emulated/authorize',
    token: 'http://127.0.0.1:4000/emulated/token',
    revocation: 'http://127.0.0.1:4000/emulated/revoke',
  })
})
