// Changes that leave no value behind, and the values before.
import { expect, test } from 'vitest'
import { member } from '../../../packages/core/src/base/json.ts'
import { openWorld } from './index.ts'
import { sendJson } from './world.ts'

test('an issue that comes back from the archive has changed', async () => {
  await using world = await openWorld.linear()
  world.begin({})
  const ask = (query: string, variables: object = {}) => sendJson(`${world.url}/graphql`, world.key, { query, variables })
  const found = await ask('{ issue(id: "ENG-25") { id archivedAt } }')
  const issue = member(found['data'], 'issue')
  expect(member(issue, 'archivedAt')).toEqual(expect.any(String))
  await ask('mutation($id: String!) { issueUnarchive(id: $id) { success } }', { id: member(issue, 'id') })
  const changes = (await world.changes()).filter(({ table }) => table === 'issues')
  expect(changes).toMatchObject([{ kind: 'changed', name: 'ENG-25', fields: { archived: false }, before: { archived: true } }])
})

test('a file that is written anew has its text and that of before', async () => {
  await using world = await openWorld.drive()
  let id = ''
  world.begin({
    prepare: {
      drive({ addItem }) {
        id = addItem({ name: 'Notes.txt', text: 'Rye' })
      },
    },
  })
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'text/plain' }
  await fetch(`${world.url}/upload/drive/v3/files/${id}?uploadType=media`, { method: 'PATCH', headers, body: 'Oats' })
  const changes = async () => (await world.changes()).filter(({ table }) => table === 'files')
  for (let count = 0; count < 2; count += 1)
    expect(await changes()).toMatchObject([{ name: 'My Drive/Notes.txt', fields: { text: 'Oats' }, before: { text: 'Rye' } }])
})
