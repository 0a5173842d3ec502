import { jsonBytes } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { folderType, storage, type Storage } from './storage.ts'

const Found = z.object({ notices: z.array(z.string()), files: z.array(z.object({ id: z.string() })), pagination: z.unknown() })
const Node = z.object({
  id: z.string(),
  children: z.array(z.object({ id: z.string() })).optional(),
  has_more_children: z.boolean().optional(),
})
const Tree = z.object({ drives: z.array(z.object({ items: z.array(Node) })), item_count: z.number(), pagination: z.unknown() })

/** The result, which both parts of a response contain. */
async function read(server: Storage, tool: string, args: Record<string, unknown>) {
  const { content, structuredContent } = await server.result(`FileStorage.${tool}`, args)
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(jsonBytes(structuredContent)).toBeLessThanOrEqual(80_000)
  return structuredContent
}

test('a search that finds more than fits in a result shows the best matches, and says how to find others', async () => {
  await using server = await storage()
  for (let count = 0; count < 1_000; count += 1)
    server.emulator.addItem({ name: `report ${count} ${'annual '.repeat(10)}.pdf`, days: count })
  const { files, notices, pagination } = Found.parse(await read(server, 'SearchFiles', { query: 'report', limit: 1_000 }))
  expect(files.length).toBeGreaterThan(150)
  expect(pagination).toEqual({ has_more: true, end_cursor: null })
  expect(notices[0]).toBe(
    `This result was shortened to 80000 bytes: files has the first ${files.length} of 1000. To see others, search for more words, or narrow by folder_path_or_id, shared_drive_id or file_types.`,
  )
})

test('a tree that is larger than a result shows all folders before their contents', async () => {
  await using server = await storage()
  const folders = Array.from({ length: 40 }, (_, at) => server.emulator.addItem({ name: `Folder ${at}`, type: folderType }))
  for (const parent of folders) for (let count = 0; count < 60; count += 1) server.emulator.addItem({ name: `note ${count}.md`, parent })
  const { drives, item_count: count, pagination } = Tree.parse(await read(server, 'GetFileTreeStructure', {}))
  const items = drives.flatMap((drive) => drive.items)
  expect(items.map(({ id }) => id).sort()).toEqual(folders.toSorted())
  expect([count, pagination]).toEqual([2_440, { has_more: true, end_cursor: null }])
  for (const { children = [], has_more_children: hasMore } of items) expect([children.length > 10, hasMore]).toEqual([true, true])
})
