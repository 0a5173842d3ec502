import path from 'node:path'
import { startCaller, successLine, runCallers } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { setUpAccount } from './setup.ts'

const program = path.join(import.meta.dirname, 'caller.ts')

test.each(['it is about to expire', 'it is refused'])('processes refresh one token once when %s, and all calls succeed', async (when) => {
  const { login, stored, change, emulator, requests, dataDirectory, url } = await setUpAccount()
  await login()
  const first = await stored()
  const before = await requests('/token')
  const done = await runCallers(
    () => startCaller(program, { DATA_DIRECTORY: dataDirectory, FILE_STORAGE_API_URL: url }),
    async () => {
      emulator.expire(first?.access_token)
      if (when === 'it is refused') return
      await change((kept) => Object.assign(kept, { expires_at: '2026-01-01T00:00:00Z', renew_from: '2026-01-01T00:00:00Z' }))
    },
  )
  expect(done).toEqual({ answers: [successLine], errors: '' })
  expect(await requests('/token')).toBe(before + 1)
  expect(emulator.store.grants().map(({ issued }) => issued)).toEqual([2])
  const { access_token: renewed, refresh_token: kept } = (await stored()) ?? {}
  expect(renewed).not.toBe(first?.access_token)
  expect(kept).toBe(first?.refresh_token)
})
