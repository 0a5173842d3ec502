import { inspect } from 'node:util'
import { openUpstream } from '@mcp-toolkits/server/account'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { expectNoSecrets, collectErrors } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { account } from '../../src/account.ts'
import { setUpAccount } from './setup.ts'

test('no error thrown below the tools contains a token, even when inspected', async () => {
  const { login, server: open, expireToken, stored, emulator, dataDirectory, environment, url } = await setUpAccount()
  await login()
  const { access_token: access, refresh_token: refresh } = await stored()
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const api = `${url}/graphql`
  const upstream = openUpstream(account, settings)
  const tokens = upstream?.tokens
  if (!tokens) throw new Error('There is no login.')
  const send = upstream.fetch
  const { thrown, attempt } = collectErrors()
  await attempt(() => send('https://evil.example/'))
  await attempt(() => send(api, { signal: AbortSignal.abort() }))
  emulator.faults.add({ match: { path: '/graphql' }, action: { kind: 'drop_before' } })
  await attempt(() => send(api, { method: 'POST', body: '{}' }))
  emulator.faults.add({ match: { path: '/graphql' }, times: 2, action: { kind: 'status', status: 401 } })
  emulator.faults.add({ match: { path: '/oauth/token' }, action: { kind: 'drop_after' } })
  await attempt(() => send(api, { method: 'POST', body: '{}' }))
  emulator.faults.clear()
  const server = await open()
  await expireToken()
  emulator.faults.add({
    match: { path: '/oauth/token' },
    times: 5,
    action: { kind: 'status', status: 400, body: { error: 'invalid_grant', token: refresh } },
  })
  await attempt(() => tokens.accessToken())
  await attempt(() => tokens.accessToken())
  await server.fails('IssueTracker.WhoAmI')
  expect(thrown.length).toBe(6)
  expect(thrown.at(-1)).toBeInstanceOf(Unauthenticated)
  const looked = [
    ...thrown.map((error) => inspect(error, { depth: 20, showHidden: true })),
    ...server.logLines,
    inspect(tokens, { depth: 20, showHidden: true }),
  ]
  expectNoSecrets(looked, [access, refresh])
})
