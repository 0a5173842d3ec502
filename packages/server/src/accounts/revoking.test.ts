import { Secret, ToolError, Unavailable } from '@mcp-toolkits/core'
import { expect, it } from 'vitest'
import { revoked } from './revoking.ts'

/** A provider that revokes all but some tokens, and what it was told. */
function provider(away: readonly string[] = []) {
  const told: string[] = []
  const revoke = (token: Secret) => {
    told.push(token.reveal())
    return away.includes(token.reveal()) ? Promise.reject(new Unavailable(`No ${token.reveal()}.`)) : Promise.resolve()
  }
  return { told, revoke }
}

const [refreshToken, accessToken] = [new Secret('refresh'), new Secret('access')]

it.each([
  [[], undefined],
  [['refresh'], 'No refresh.'],
  [['access'], 'No access.'],
  [['refresh', 'access'], 'No refresh.'],
])('revokes both tokens, whatever becomes of the first (refused: %j)', async (away, said) => {
  const { told, revoke } = provider(away)
  const problem = await revoked({ tokens: { refreshToken, accessToken } }, { revoke })
  expect([told, problem?.message]).toEqual([['refresh', 'access'], said])
})

it('revokes what is there', async () => {
  const { told, revoke } = provider()
  expect(await revoked({ tokens: { accessToken } }, { revoke })).toBeUndefined()
  expect(await revoked({}, { revoke })).toBeUndefined()
  expect(told).toEqual(['access'])
})

it('hides no fault of ours', async () => {
  const faulty = { revoke: () => Promise.reject(new TypeError('Ours.')) }
  await expect(revoked({ tokens: { accessToken } }, faulty)).rejects.not.toBeInstanceOf(ToolError)
})
