import { isObject, jsonBytes, member } from '@mcp-toolkits/core/base'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { shareOf } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { issueTracker } from '../src/server.ts'
import { calls } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

/** The fields with text that people write, in Linear's responses. */
const written = ['body', 'title', 'description', 'content', 'subtitle']

/** Responds like the emulator, but with long texts. */
function longWinded(texts: { characters: number }) {
  const emulator = linearEmulator({ seed: 'company', apiKey: 'lin_api_test', limits: { requests: 1e6, points: 1e9 } })
  const lengthen = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(lengthen)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        typeof member === 'string' && written.includes(name) ? `${member} ${'wordy '.repeat(texts.characters / 6)}` : lengthen(member),
      ]),
    )
  }
  const vendor: typeof emulator.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    return new Response(JSON.stringify(lengthen(await response.json())), response)
  }
  return { emulator, vendor }
}

const Answer = z.looseObject({ pagination: z.object({ has_more: z.boolean(), end_cursor: z.string().nullable() }).optional() })

/** The result, which both parts of a response contain. */
async function read(server: Workspace, tool: string, args: Record<string, unknown>) {
  const { content, structuredContent, isError } = await server.result(`IssueTracker.${tool}`, args)
  expect([isError, content], tool).toEqual([undefined, [{ type: 'text', text: JSON.stringify(structuredContent) }]])
  expect(jsonBytes(structuredContent), tool).toBeLessThanOrEqual(80_000)
  return Answer.parse(structuredContent)
}

test.for(shareOf([3_000, 30_000, 120_000], 3, 1))(
  'the result of each reading tool fits, and its two parts agree, with texts of %i characters',
  async (characters) => {
    const { emulator, vendor } = longWinded({ characters })
    await using server = await workspace({ vendor })
    for (const [tool, args] of calls) {
      const full = await read(server, tool, args)
      expect(Object.keys(full).length, tool).toBeGreaterThan(0)
    }
    await emulator.close()
  },
)

/** Identity of a row. */
const Row = z
  .looseObject({})
  .transform(({ identifier, slug_id: slug, id, key, comment_id: comment, created_at: at }) =>
    JSON.stringify([identifier ?? slug ?? id ?? key, comment, at]),
  )
const lists = issueTracker.listedTools
  .filter(({ inputSchema }) => member(inputSchema['properties'], 'end_cursor') !== undefined)
  .map(({ name }) => name)

/** The rows of a whole list, and the number of calls that it took to read them. */
async function rowsOf(server: Workspace, tool: string) {
  const args = calls.find(([name]) => name === tool)?.[1]
  const rows: string[] = []
  let [count, cursor] = [0, '']
  do {
    const { pagination, ...answer } = await read(server, tool, { ...args, limit: [50, 20, 7][count % 3], end_cursor: cursor })
    rows.push(...Object.values(answer).flatMap((value) => z.array(Row).safeParse(value).data ?? []))
    cursor = pagination?.end_cursor ?? ''
    count += 1
  } while (cursor !== '')
  return { rows, count }
}

test.for(shareOf(lists, 4, 0))('%s shows each row once and in order, even if its pages are shortened', async (tool) => {
  const texts = { characters: 6 }
  const { emulator, vendor } = longWinded(texts)
  await using server = await workspace({ vendor })
  const plain = await rowsOf(server, tool)
  expect(plain.rows.length).toBeGreaterThan(1)
  texts.characters = 20_000
  const long = await rowsOf(server, tool)
  expect(long.rows).toEqual(plain.rows)
  if (['ListIssues', 'ListComments'].includes(tool)) expect(long.count).toBeGreaterThan(plain.count)
  await emulator.close()
})

test('an issue with many long comments shows everything else, and as many comments as fit', async () => {
  await using server = await workspace()
  for (let count = 0; count < 45; count += 1)
    await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body: `${count} ${'long '.repeat(850)}` })
  const { issue, notices } = await read(server, 'GetIssue', { issue_id: 'ENG-3' })
  const { comments, ...rest } = z.looseObject({ comments: z.array(z.object({ body: z.string() })) }).parse(issue)
  const { issue: without } = await read(server, 'GetIssue', { issue_id: 'ENG-3', include_comments: false })
  expect({ ...rest, updated_at: '' }).toEqual({ ...z.looseObject({}).parse(without), has_more_comments: true, updated_at: '' })
  expect(comments.map(({ body }) => Number.parseInt(body, 10))).toEqual(Array.from({ length: comments.length }, (_, at) => 44 - at))
  expect(comments.length).toBeGreaterThan(12)
  expect(notices).toEqual([
    `This result was shortened to 80000 bytes: comments has the first ${comments.length} of 45. IssueTracker_ListComments reads all comments; include_comments, include_attachments, include_relations and include_children leave parts out.`,
  ])
})
