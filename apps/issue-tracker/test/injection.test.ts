import { encodeCursor } from '@mcp-toolkits/core/references'
import { isBlank } from '@mcp-toolkits/core/tool'
import { parseError, runs } from '@mcp-toolkits/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { calls, forExamples, type Args } from './calls.ts'
import { operations } from './operations.ts'
import { argumentsOf, readingTools } from './schemas.ts'
import { workspace, type Workspace } from './workspace.ts'

const known = new Set(operations.map(({ text }) => text))
const generous = { limits: { requests: 1_000_000, points: 1_000_000_000 } }
const paged = readingTools.filter(({ properties }) => 'end_cursor' in properties)

async function codeOf(server: Workspace, tool: string, args: Args): Promise<string | undefined> {
  const { isError, content } = await server.result(`IssueTracker.${tool}`, args)
  const [block] = content
  return isError === true && block?.type === 'text' ? parseError(block.text).code : undefined
}

test('covers the reading tools, several of which take a cursor', () => {
  expect(readingTools.length).toBeGreaterThan(15)
  expect(paged.length).toBeGreaterThan(5)
})

test.for(readingTools)('$name sends every argument as a variable, never as part of a document', async (tool) => {
  const sent = new Set<string>()
  await using server = await workspace({ emulated: { ...generous, ...forExamples.emulated }, seen: (document) => sent.add(document) })
  // Few of the other arguments get past the checks.
  const example = calls.find(([name]) => name === tool.name)?.[1] ?? {}
  const codes = new Set([await codeOf(server, tool.name, example)])
  await fc.assert(
    fc.asyncProperty(argumentsOf(tool), async (args) => {
      codes.add(await codeOf(server, tool.name, args))
    }),
    { numRuns: runs(60) },
  )
  expect(sent.size).toBeGreaterThan(0)
  expect([...sent].filter((document) => !known.has(document))).toEqual([])
  // A rejection by Linear itself must not end as an internal error: the caller needs to learn what to fix.
  expect(codes).not.toContain('internal')
  expect(codes).not.toContain('unavailable')
})

/** The parts of a cursor. */
const Parts = z.tuple([z.string(), z.string()])

/** The cursor of a first page with one row, which is not the last page of any example. */
async function cursorOf(server: Workspace, { name }: { readonly name: string }): Promise<{ args: Args; cursor: string }> {
  const args = { ...calls.find(([tool]) => tool === name)?.[1], limit: 1 }
  const { pagination } = await server.call(`IssueTracker.${name}`, args)
  const { end_cursor: cursor }: { end_cursor: unknown } = Object.assign({ end_cursor: null }, pagination)
  if (typeof cursor !== 'string') throw new Error(`The example of ${name} has one row only.`)
  return { args, cursor }
}

test.for(paged)('$name rejects every cursor that it did not return, without a request', async (tool) => {
  await using server = await workspace({ emulated: { ...generous, ...forExamples.emulated } })
  const foreign = await Promise.all(paged.filter(({ name }) => name !== tool.name).map(async (other) => cursorOf(server, other)))
  const own = await cursorOf(server, tool)
  const before = server.requests()
  const refused = async (end_cursor: string) => {
    const error = await server.fails(`IssueTracker.${tool.name}`, { ...own.args, end_cursor })
    expect(error.code).toBe('invalid_input')
    // A made-up cursor leads nowhere: a request for the next page would return the first one again.
    const isForeign = error.message.includes('call with other arguments')
    expect(error.next).toEqual(isForeign ? { change: { end_cursor: null } } : undefined)
  }
  for (const { cursor } of foreign) await refused(cursor)
  const json = fc.json().map((value) => Buffer.from(value).toString('base64url'))
  const ofAnotherQuery = fc.tuple(fc.json(), fc.string()).map(([query, position]) => encodeCursor(query, position))
  const damaged = fc.nat(own.cursor.length - 1).map((at) => own.cursor.slice(0, at) + own.cursor.slice(at + 1))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !isBlank(text)),
        json,
        ofAnotherQuery,
        damaged,
      ),
      refused,
    ),
    {
      numRuns: runs(60),
    },
  )
  expect(server.requests()).toBe(before)
  expect(await server.call(`IssueTracker.${tool.name}`, { ...own.args, end_cursor: own.cursor })).toHaveProperty('pagination')
})

test.for(paged)('$name sends a forged position inside a cursor as a variable', async (tool) => {
  const sent = new Set<string>()
  await using server = await workspace({ emulated: { ...generous, ...forExamples.emulated }, seen: (document) => sent.add(document) })
  const { args, cursor } = await cursorOf(server, tool)
  const [fingerprint] = Parts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (position) => {
      const forged = Buffer.from(JSON.stringify([fingerprint, position])).toString('base64url')
      expect(await codeOf(server, tool.name, { ...args, end_cursor: forged })).toBe('invalid_input')
    }),
    { numRuns: runs(30) },
  )
  expect([...sent].filter((document) => !known.has(document))).toEqual([])
})
