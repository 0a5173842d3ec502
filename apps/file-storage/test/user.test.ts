import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const whoAmI = 'FileStorage.WhoAmI'

test('the profile has the person, the storage in numbers and the shared drives', async () => {
  await using server = await storage({ emulated: {} })
  expect(await server.call(whoAmI)).toMatchObject({
    user: { name: 'Robin Vance', email: 'robin.vance@lodestar.example' },
    storage: { limit: 16_106_127_360, used_in_trash: 37 },
    shared_drives: [{ name: 'Engineering' }, { name: 'Design' }],
  })
})

test('what the scope does not allow is null, with the reason', async () => {
  await using server = await storage({ emulated: { scopes: ['drive.file'], storageLimit: null } })
  const result = await server.call(whoAmI)
  expect(result).toMatchObject({ user: { name: 'Robin Vance' }, storage: { limit: null }, shared_drives: null })
  expect(result['notice']).toContain('needs the scope drive.readonly or drive')
})
