import type { Fetch } from '@mcp-toolkits/core/upstream'
import { expect, test } from 'vitest'
import { put } from '../contents.ts'
import { storage, textAt } from '../storage.ts'
import { otherWriter, revisionsIn } from './other-program.ts'

const list = 'FileStorage.ListRevisions'

test('lists the revisions of a file, newest first, page by page', async () => {
  await using server = await storage({ toolsets: ['content'] })
  const id = await put(server, 'plan.txt', Buffer.from('1'), 'text/plain')
  for (const text of ['12', '123', '1234']) await otherWriter(server, id)(text)
  const ids = (await revisionsIn(server, id)).map((revision) => revision.id).toReversed()
  const page = await server.call(list, { file_path_or_id: 'plan.txt', limit: 3 })
  const rows = ids.slice(0, 3).map((revision, index) => ({ id: revision, size: 4 - index, kept: false }))
  expect(page).toMatchObject({ file_id: id, revisions: rows, pagination: { has_more: true } })
  expect(textAt(page, 'revisions.0.modified_by')).toContain('@')
  const end_cursor = textAt(page, 'pagination.end_cursor')
  // A revision that is made meanwhile does not shift the pages.
  await otherWriter(server, id)('12345')
  expect(await server.call(list, { file_path_or_id: 'plan.txt', limit: 3, end_cursor })).toMatchObject({
    revisions: [{ id: ids[3], size: 1 }],
    pagination: { has_more: false, end_cursor: null },
  })
  expect(await server.requestsOf(list, { file_path_or_id: id })).toEqual([`GET /drive/v3/files/${id}/revisions`])
})

test('calls no revision the newest if there are more than can be read', async () => {
  let page = 0
  const inFront =
    (drive: Fetch): Fetch =>
    (input, init) =>
      new Request(input, init).url.includes('/revisions')
        ? Promise.resolve(Response.json({ nextPageToken: String((page += 1)), revisions: [{ id: String(page) }] }))
        : drive(input, init)
  await using server = await storage({ toolsets: ['content'], inFront })
  const id = await put(server, 'plan.txt', Buffer.from('1'), 'text/plain')
  const error = await server.fails(list, { file_path_or_id: id })
  expect([error.code, error.retryable, error.message]).toEqual(['unavailable', false, expect.stringContaining('more revisions than')])
})

test('follows a shortcut, and refuses folders and people who may only read', async () => {
  await using server = await storage({ toolsets: ['content'], emulated: { seed: 'company' } })
  const plan = await put(server, 'plan.txt', Buffer.from('1'), 'text/plain')
  const link = server.emulator.addItem({ name: 'link', target: plan })
  for (const file_path_or_id of ['link', link])
    expect(await server.call(list, { file_path_or_id })).toMatchObject({ file_id: plan, revisions: [{}] })
  const reader = server.emulator.store
    .files()
    .find(({ role, content, driveId }) => role === 'reader' && content !== null && driveId === null)
  for (const id of [server.emulator.store.named('Team')[0]?.id, reader?.id])
    expect(await server.fails(list, { file_path_or_id: id })).toMatchObject({ code: 'forbidden' })
})
