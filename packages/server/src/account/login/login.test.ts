import { ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { Secret } from '@mcp-toolkits/core/upstream'
import { expect, it } from 'vitest'
import { acme } from '../../../test/account/acme.ts'
import { endpointsAt } from '../account.ts'
import { revokeLogin } from './login.ts'

/** A provider that does not revoke some tokens, and the tokens that it received. */
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

it('moves all endpoints to another address, each under its own path', () => {
  expect(endpointsAt(acme, undefined)).toEqual(acme.endpoints)
  expect(endpointsAt(acme, 'http://127.0.0.1:4000/emulated')).toEqual({
    authorization: 'http://127.0.0.1:4000/emulated/authorize',
    token: 'http://127.0.0.1:4000/emulated/token',
    revocation: 'http://127.0.0.1:4000/emulated/revoke',
  })
})
