import { randomUUID } from 'node:crypto'
import { authorized } from '@mcp-toolkits/core'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, test } from 'vitest'
import { linearClient } from '../src/linear/client.ts'
import { createIssue } from '../src/linear/issue-writes.ts'
import { workspace, type Workspace } from './workspace.ts'

const url = 'http://localhost/graphql'
const create = 'IssueTracker.CreateIssue'
const args = { team: 'ENG', title: 'Once', attachment_url: 'https://example.com/once' }

test('a repeat of a call that was cancelled after Linear had carried it out finds what is there', async () => {
  await using server = await workspace()
  const cancelled = new AbortController()
  // Carried out, and then the answer never comes.
  server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 60_000 } })
  const call = server.client.callTool({ name: create, arguments: args }, { signal: cancelled.signal })
  await expect.poll(() => made(server)).toBe(1)
  cancelled.abort()
  await expect(call).rejects.toThrow()
  // The server lets go of the call a moment after its client does, and logs it.
  await expect.poll(() => server.logged.filter((line) => line.includes('CreateIssue')).length).toBe(1)
  expect((await server.call(create, args))['notice']).toContain('earlier attempt')
  expect(made(server)).toBe(1)
})

test('a call that succeeded and is made again means another issue', async () => {
  await using server = await workspace()
  await server.call(create, args)
  expect(await server.call(create, args)).not.toHaveProperty('notice')
  expect(made(server)).toBe(2)
})

test('an attachment that Linear refuses does not hide that the issue exists', async () => {
  const emulator = linearEmulator({ apiKey: 'key' })
  const linear = linearClient({ fetch: authorized(emulator.fetch, url, 'key'), url })
  const teamId = String(emulator.store.issues().find((issue) => issue['identifier'] === 'ENG-1')?.['teamId'])
  const input = { id: randomUUID(), teamId, title: 'Once' }
  const wanted = { input, attachment: { url: 'https://example.com/', title: '' } }
  const { signal } = new AbortController()
  const created = await createIssue(linear, wanted, signal)
  expect(created).toMatchObject({ issue: { title: 'Once' }, attachment: undefined, earlier: false })
  expect(created.notAttached?.message).toContain('title')
  expect(await createIssue(linear, wanted, signal)).toMatchObject({ issue: { id: input.id }, earlier: true, notAttached: {} })
  const mended = { input, attachment: { url: 'https://example.com/', title: 'Fine' } }
  expect(await createIssue(linear, mended, signal)).toMatchObject({ attachment: { title: 'Fine' }, earlier: true })
  expect(emulator.store.issues().filter((issue) => issue['title'] === 'Once')).toHaveLength(1)
  await emulator.close()
})

function made({ emulator }: Workspace): number {
  return emulator.store.issues().filter((issue) => issue['title'] === 'Once').length
}
