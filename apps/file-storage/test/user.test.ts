import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const whoAmI = 'FileStorage.WhoAmI'

test('returns the person, the storage in numbers and the shared drives', async () => {
  await using server = await storage({ emulated: {} })
  expect(await server.call(whoAmI)).toMatchObject({
    user: { name: 'Robin Vance', email: 'robin.vance@lodestar.example' },
    storage: { limit: 16_106_127_360, used_in_trash: 37 },
    shared_drives: [{ name: 'Engineering' }, { name: 'Design' }],
  })
})

test('returns null, with the reason, for anything that the scope does not allow', async () => {
  await using server = await storage({ emulated: { scopes: ['drive.file'], storageLimit: null } })
  const result = await server.call(whoAmI)
  expect(result).toMatchObject({ user: { name: 'Robin Vance' }, storage: { limit: null }, shared_drives: null })
  expect(String(result['notices'])).toContain('needs the drive.readonly or drive scope')
})

test('reports a refusal that is not about scopes', async () => {
  await using server = await storage()
  const body = {
    error: { code: 403, message: 'Not for you.', errors: [{ domain: 'global', reason: 'domainPolicy', message: 'Not for you.' }] },
  }
  server.emulator.faults.add({ match: { path: '/drive/v3/drives' }, action: { kind: 'status', status: 403, body } })
  const result = await server.call(whoAmI)
  expect(result).toMatchObject({ shared_drives: null })
  expect(String(result['notices'])).toContain('Not for you.')
  expect(String(result['notices'])).not.toContain('scope')
})

test('lists the shared drives from all pages', async () => {
  await using server = await storage()
  const names = Array.from({ length: 101 }, (_, index) => `Drive ${index}`)
  for (const name of names) server.emulator.addDrive({ name, members: [['robin.vance@lodestar.example', 'organizer']] })
  const drives: unknown = (await server.call(whoAmI))['shared_drives']
  expect(JSON.stringify(drives).match(/"name":"Drive \d+"/g)?.length).toBe(101)
  expect(server.sent.filter((request) => request === 'GET /drive/v3/drives').length).toBe(2)
})
