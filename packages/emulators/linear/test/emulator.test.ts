import { textAt } from '@mcp-toolkits/emulator/testing'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linearRules } from '../src/index.ts'
import { idOf } from '../src/ids.ts'
import { openEmulator } from './emulator.ts'
import { documentOf } from './documents.ts'

const teamId = idOf('Team Engineering')
const create = documentOf('CreateIssue')

describe('the emulator', () => {
  it('stores data in its file and reads what another process wrote', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'linear-'))
    onTestFinished(() => {
      rmSync(directory, { recursive: true })
    })
    const file = join(directory, 'linear.db')
    const first = openEmulator({ file })
    const second = openEmulator({ file })
    const results = []
    for (const { ask } of [first, second, first, second]) results.push((await ask(create, { input: { teamId, title: 'One' } })).data)
    expect(results.map((data) => textAt(data, 'issueCreate.issue.identifier'))).toEqual(['ENG-31', 'ENG-32', 'ENG-33', 'ENG-34'])
    await first.close()
    await second.close()
    const { store, reset, close } = openEmulator({ file, seed: 'empty' })
    expect([store.issues().length, store.mutations().length]).toEqual([64, 4])
    reset()
    expect([store.issues(), store.mutations()]).toEqual([[], []])
    await close()
  })

  it('starts with the same data every time', () => {
    const [one, other] = [openEmulator().store, openEmulator().store]
    for (const read of ['issues', 'comments', 'attachments', 'relations', 'projects', 'initiatives', 'notifications'] as const) {
      expect(one[read]().length).toBeGreaterThan(3)
      expect(one[read]()).toEqual(other[read]())
    }
    expect([one.issues().length, one.projects().length, one.mutations()]).toEqual([60, 6, []])
    expect(one.issues().filter((issue) => issue['archivedAt'] !== null)).toHaveLength(2)
    const times = one.issues().flatMap((issue) => [String(issue['createdAt']), String(issue['updatedAt'])])
    expect(times.every((time) => time <= '2026-09-16T12:00:00.000Z')).toBe(true)
  })

  it('can start with a workspace without issues', async () => {
    const { at, ask, store } = openEmulator({ seed: 'empty' })
    expect(await at('viewer', '{ viewer { name teams { nodes { key states { nodes { id } } } } } }')).toMatchObject({ name: 'Robin Vance' })
    expect((await ask(create, { input: { teamId, title: 'First' } })).errors).toEqual([])
    expect(store.issues()).toMatchObject([{ identifier: 'ENG-1' }])
  })

  it('commits a create whose response is lost, so a repeat is a conflict', async () => {
    const { ask, faults, store } = openEmulator()
    const input = { id: randomUUID(), teamId, title: 'Once' }
    faults.add({ match: { path: '/graphql' }, action: { kind: 'drop_after' } })
    await expect(ask(create, { input })).rejects.toThrow('fetch failed')
    expect((await ask(create, { input })).errors[0]?.['message']).toBe('conflict on insert of Issue')
    expect(store.issues().filter(({ title }) => title === 'Once')).toHaveLength(1)
  })

  it('counts the attempts at each operation separately', async () => {
    const { ask, faults } = openEmulator()
    faults.add({ action: { kind: 'chaos', seed: 'x', rate: 1, kinds: [{ kind: 'status', status: 503, body: {} }], max_in_a_row: 1 } })
    const [a, b] = [randomUUID(), randomUUID()]
    const statuses = []
    for (const id of [a, b, a, b]) statuses.push((await ask(create, { input: { id, teamId, title: 'x' } })).status)
    for (const id of ['ENG-1', 'ENG-2', 'ENG-1']) statuses.push((await ask(documentOf('TransitionResolve'), { id })).status)
    const attach = 'mutation Attach($attachment: AttachmentCreateInput!) { attachmentCreate(input: $attachment) { success } }'
    const attachment = { issueId: 'ENG-1', url: 'https://example.com', title: 'x' }
    for (const id of [a, b]) statuses.push((await ask(attach, { attachment: { ...attachment, id: id.replace(/^./, 'f') } })).status)
    for (let times = 0; times < 2; times += 1) statuses.push((await ask('query Me { viewer { id } }')).status)
    expect(statuses).toEqual([503, 503, 200, 200, 503, 503, 200, 503, 503, 503, 200])
  })

  it('leads from its page to requests, mutations and rules, but no secrets', async () => {
    const { ask, listen, close } = openEmulator()
    const { url } = await listen()
    await ask(create, { input: { teamId, title: '<i>secret title</i>' } })
    const page = await (await fetch(url)).text()
    expect(page).toContain("This is not the vendor's service.")
    const tables = await Promise.all(
      [...page.matchAll(/href="(\/__emulator\/\w+)"/g)].map(async ([, table = '']) => (await fetch(url + table)).text()),
    )
    expect(tables.join()).toContain('issueCreate')
    expect(tables.join()).not.toContain('lin_api_emulator')
    expect(tables.join()).not.toContain('secret title')
    for (const id of Object.keys(linearRules)) expect(tables.join()).toContain(id)
    const log: unknown = await (await fetch(`${url}/__emulator/requests`)).json()
    expect(log).toMatchObject({
      requests: [{ path: '/graphql', status: 200, facts: { operation: 'CreateIssue', kind: 'mutation', authorization: 'key' } }],
    })
    await close()
  })
})
