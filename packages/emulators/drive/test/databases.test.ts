import { formerDatabases } from '@mcp-toolkits/emulator/testing'
import { expect, it, onTestFinished } from 'vitest'
import { connected, rowsIn } from './connected.ts'
import { covers } from './covers.ts'

const [robin, ada] = ['robin.vance@lodestar.example', 'ada.okafor@lodestar.example']
const databases = new URL('databases/', import.meta.url)

it.for(formerDatabases(databases))('opens the data of $name, and its tokens still work', covers('oauth/people'), async (former) => {
  const temporary = former.restore()
  const emulator = connected({ file: temporary.file, now: () => Date.parse('2026-11-28T12:00:00Z') })
  onTestFinished(() => {
    temporary[Symbol.dispose]()
  })
  const about = (token: string) => emulator.get('GET /about', { query: { fields: 'user' }, token })
  expect(await about(former.accessToken)).toMatchObject({ user: { emailAddress: robin } })
  if (former.name !== 'version-2.sql')
    expect(await about((await emulator.login(ada)).accessToken)).toMatchObject({ user: { emailAddress: ada } })
})

it('finds what an earlier version stored', async () => {
  const [former] = formerDatabases(databases).filter(({ name }) => name === 'version-7.sql')
  using temporary = former?.restore()
  const { get, one } = connected({ file: temporary?.file ?? '', now: () => Date.parse('2026-11-28T12:00:00Z') })
  const list = async (call: string, name: string, query = {}) =>
    rowsIn((await get(`GET ${call}`, { query: { fields: '*', ...query } }))[name])
  const { id } = one('notes.txt')
  expect(await list('/files', 'files', { q: "name contains 'note' and starred = false" })).toMatchObject([{ id, size: '6' }])
  expect(await list(`/files/${id}/revisions`, 'revisions')).toMatchObject([{ size: '0' }, { size: '5' }, { size: '6' }])
  expect(await list(`/files/${id}/comments`, 'comments')).toMatchObject([
    { content: 'Please read.', resolved: true, replies: [{ content: 'Done.' }] },
  ])
  expect(await list(`/files/${id}/permissions`, 'permissions')).toMatchObject([
    { emailAddress: robin },
    { emailAddress: ada, role: 'writer' },
  ])
  expect(await list('/drives', 'drives')).toMatchObject([{ name: 'Launch' }])
  expect((await list('/changes', 'changes', { pageToken: '1' })).map(({ removed }) => removed)).toContain(true)
})
