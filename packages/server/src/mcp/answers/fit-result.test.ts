import { isObject, jsonBytes, type JsonObject } from '@mcp-toolkits/core/base'
import { startPaging } from '@mcp-toolkits/core/references'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fitResult } from './fit-result.ts'
import { toAnswer } from './answer.ts'
import { toToolResult } from './mcp-result.ts'

/** A smaller limit, so that many results can be tried. */
const smallBytes = 4_000

const Row = z.object({ id: z.number(), text: z.string() })
const RowPage = z.object({ rows: z.array(Row), pagination: z.object({ end_cursor: z.string().nullable() }) })
const Tree = z.object({ drives: z.array(z.object({ items: z.array(z.looseObject({ id: z.string() })) })) })

/** A result as a call returns it. */
function shown(data: JsonObject, narrowing?: string): JsonObject {
  const { content, structuredContent } = toToolResult(toAnswer({ data, isWrite: false, ...(narrowing && { narrowing }) }, false), false)
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  if (!isObject(structuredContent)) throw new Error('There is no result.')
  return structuredContent
}

const comments = (count: number, length: number) => Array.from({ length: count }, (_, id) => ({ id, body: 'x'.repeat(length) }))

describe('a result that is too long', () => {
  it('keeps all but the last rows of its lists, and says how many and how to read on', () => {
    const issue = { title: 'T', comments: comments(45, 4_300), has_more_comments: false, labels: [{ name: 'bug' }] }
    const result = shown({ issue }, 'Lists.ListComments reads them all.')
    expect(result).toEqual({
      notices: ['This result was shortened to 80000 bytes: comments has the first 18 of 45. Lists.ListComments reads them all.'],
      issue: { title: 'T', comments: comments(18, 4_300), has_more_comments: true, labels: [{ name: 'bug' }] },
    })
  })

  it('cuts a long text before it leaves out rows, and says its length', () => {
    const issue = { title: 'T', description: '\u{1F600}'.repeat(50_000), comments: comments(3, 100) }
    expect(shown({ issue })).toEqual({
      notices: [expect.stringContaining('1 text field cut short (see truncated and total_characters). To get less')],
      issue: { ...issue, description: '\u{1F600}'.repeat(5_000), truncated: true, total_characters: 50_000 },
    })
  })

  it('keeps the real length of a text that was cut before', () => {
    const cut = { text: 'ä'.repeat(49_000), truncated: true, total_characters: 2_000_000 }
    expect(shown(cut)).toMatchObject({ text: 'ä'.repeat(20_000), truncated: true, total_characters: 2_000_000 })
  })

  it('keeps the top of a tree rather than its depth', () => {
    const leaf = (id: string) => ({ id, name: 'n'.repeat(60) })
    const folders = Array.from({ length: 400 }, (_, at) => ({
      ...leaf(`f${at}`),
      children: Array.from({ length: 50 }, (_each, row) => leaf(`${at}.${row}`)),
    }))
    const { drives } = Tree.parse(shown({ drives: [{ name: 'My Drive', items: folders }], item_count: 20_400 }))
    expect(drives[0]?.items.map(({ id }) => id)).toEqual(folders.map(({ id }) => id))
    expect(drives[0]?.items[399]).toMatchObject({ has_more_children: true })
  })

  it('says in the pagination that a list without a cursor was cut', () => {
    const result = shown({ files: comments(1_000, 200), pagination: { has_more: false, end_cursor: null } })
    expect(result).toMatchObject({ pagination: { has_more: true, end_cursor: null } })
  })

  it('that cannot be shortened is refused', () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`member${at}`, at]))
    const { isError, content } = toToolResult(toAnswer({ data: members, isWrite: false }, false), false)
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('too_large')])
  })

  it('fits, whatever it holds', () => {
    const texts = fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }), fc.nat(400))
      .map(([unit, times]) => unit.repeat(times))
    const row = fc.record({ id: fc.uuid(), text: texts, rows: fc.array(fc.record({ text: texts }), { maxLength: 5 }) })
    fc.assert(
      fc.property(fc.record({ title: texts, rows: fc.array(row, { maxLength: 15 }), others: fc.array(row, { maxLength: 5 }) }), (data) => {
        expect(jsonBytes(fitResult(data, { maxBytes: smallBytes }))).toBeLessThanOrEqual(smallBytes)
      }),
    )
  })
})

describe('a list with a cursor', () => {
  const query = ['List', {}]
  /** One call for a list from a vendor that pages by row id. */
  function list(rows: readonly z.output<typeof Row>[], limit: number, cursor: string | undefined) {
    const { after, first, result, pagination } = startPaging(query, { limit, end_cursor: cursor })
    const start = after === undefined ? 0 : rows.findIndex(({ id }) => String(id) === after) + 1
    const read = rows.slice(start, start + first)
    const { data, userContent } = result({ rows: read, pagination: pagination(start + first < rows.length, String(read.at(-1)?.id)) })
    const { data: left, list: cut } = toAnswer({ data, ...userContent, isWrite: false }, false)
    const shownRows = jsonBytes(left) > smallBytes ? fitResult(left, { maxBytes: smallBytes, list: cut }) : left
    expect(jsonBytes(shownRows)).toBeLessThanOrEqual(smallBytes)
    return RowPage.parse(shownRows)
  }

  const allRows = fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.nat(200) }, fc.nat(1_500), fc.constant(9_000)), { minLength: 1, maxLength: 40 })
    .map((lengths) => lengths.map((length, id) => ({ id, text: 'x'.repeat(length) })))

  it('shows each row once, in order, whatever the limits of its calls', () => {
    fc.assert(
      fc.property(allRows, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }), (rows, limits) => {
        const seen: number[] = []
        let cursor: string | undefined
        for (let call = 0; call === 0 || cursor !== undefined; call += 1) {
          const page: z.output<typeof RowPage> = list(rows, limits[call % limits.length] ?? 1, cursor)
          expect(page.rows.length).toBeGreaterThan(0)
          seen.push(...page.rows.map(({ id }) => id))
          cursor = page.pagination.end_cursor ?? undefined
        }
        expect(seen).toEqual(rows.map(({ id }) => id))
      }),
    )
  })

  it('continues after the same row even if rows before it have been removed or added', () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, text: `${id} `.repeat(100) }))
    const { rows: first, pagination } = list(rows, 40, undefined)
    const last = first.at(-1)?.id ?? -1
    expect(last).toBeGreaterThan(4)
    for (const changed of [rows.slice(2), [{ id: 99, text: 'new' }, ...rows]])
      expect(list(changed, 40, pagination.end_cursor ?? undefined).rows[0]?.id).toBe(last + 1)
  })
})
