import { inspect } from 'node:util'
import { openUpstream } from '@mcp-toolkits/server/account'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { localClient } from '@mcp-toolkits/drive-emulator'
import { expectNoSecrets, collectErrors } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { account } from '../../src/account.ts'
import { setUpAccount } from './setup.ts'

test('no error below the tools holds a token, even when it is inspected', async () => {
  const { login, server: open, stored, emulator, dataDirectory, environment, url } = await setUpAccount()
  await login()
  const { access_token: access = '', refresh_token: refresh = '' } = (await stored()) ?? {}
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const upstream = openUpstream(account, settings)
  const tokens = upstream?.tokens
  if (!tokens) throw new Error('There is no login.')
  const send = upstream.fetch
  const about = `${url}/drive/v3/about?fields=user`
  const { thrown, attempt } = collectErrors()
  await attempt(() => send('https://evil.example/'))
  await attempt(() => send(about, { signal: AbortSignal.abort() }))
  emulator.faults.add({ match: { path: '/drive/v3/about' }, action: { kind: 'drop_before' } })
  await attempt(() => send(about))
  emulator.expire(access)
  emulator.faults.add({ match: { path: '/token' }, times: 9, action: { kind: 'drop_after' } })
  await attempt(() => send(about))
  emulator.faults.clear()
  const server = await open()
  emulator.expire((await stored())?.access_token)
  const ended = { error: 'invalid_grant', error_description: refresh, token: refresh }
  emulator.faults.add({ match: { path: '/token' }, times: 5, action: { kind: 'status', status: 400, body: ended } })
  await attempt(() => send(about))
  await attempt(() => tokens.accessToken())
  await server.fails('FileStorage.WhoAmI')
  await server.fails('FileStorage.GenerateFilePickerUrl')
  expect(thrown.length).toBe(6)
  expect(thrown.at(-1)).toBeInstanceOf(Unauthenticated)
  const looked = [...thrown, tokens].map((each) => inspect(each, { depth: 20, showHidden: true }))
  expectNoSecrets([...looked, ...server.logLines], [access, refresh, localClient.secret ?? ''])
})
