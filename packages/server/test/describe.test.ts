import { Pagination } from '@mcp-toolkits/core/references'
import { type Effect, type Tool, toolkit, withJsonSchema } from '@mcp-toolkits/core/tool'
import { fromJsonSchema } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeTool } from './describe.ts'
import { flag, nothing, text } from './stdio/echo-server.ts'

const Person = nothing.extend({ id: text, profile: nothing.extend({ email: text, address: nothing.extend({ city: text }) }) })
const Issue = nothing.extend({
  id: text.describe('Its id.'),
  done: flag.describe('Done.').optional(),
  assignee: Person.nullable(),
  labels: Person.array(),
})
const output = nothing.extend({
  issues: Issue.array().min(1).describe('All of them.'),
  first: Issue.optional(),
  either: Issue.or(text).nullable(),
  pagination: Pagination,
})

const defineTool = toolkit<undefined, 'read'>()
const tool = (effect: Effect, more: { destructive?: boolean; writes?: () => boolean } = {}): Tool<undefined> =>
  defineTool({
    name: 'List',
    title: 'List issues',
    description: 'Lists issues.',
    scopes: ['read'],
    input: nothing.extend({ query: text.optional().describe('What to look for.') }),
    output,
    example: {},
    run: () => Promise.reject(new Error('It is only described.')),
    effect,
    ...more,
  })

/** True if a value is valid under a schema, according to the validator that clients use. */
async function accepts(schema: Readonly<Record<string, unknown>>, value: unknown): Promise<boolean> {
  const { issues } = await fromJsonSchema({ type: 'object', ...schema })['~standard'].validate(value)
  return issues === undefined
}

describe('the hints', () => {
  it.each([
    ['read', [true, false, true, true]],
    ['create', [false, false, false, true]],
    ['update', [false, false, true, true]],
    ['delete', [false, true, true, true]],
  ] as const)('of a tool with the effect %s are %j', (effect, [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]) => {
    expect(describeTool(tool(effect)).annotations).toEqual({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint })
  })

  it('are destructive when the author says so', () => {
    expect(describeTool(tool('create', { destructive: true })).annotations).toMatchObject({ destructiveHint: true, idempotentHint: false })
  })
})

describe('a description', () => {
  it('copies the definition', () => {
    expect(describeTool(tool('read'))).toMatchObject({
      name: 'List',
      title: 'List issues',
      description: 'Lists issues.',
      effect: 'read',
      canRead: true,
      scopes: ['read'],
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to look for.' } },
        additionalProperties: false,
      },
    })
    expect([tool('update'), tool('update', { writes: () => false })].map((each) => describeTool(each).canRead)).toEqual([false, true])
  })
})

describe('a published output schema', () => {
  const { outputSchema } = describeTool(tool('read'))
  const city = { city: 'Here' }
  const person = { id: 'p', profile: { email: 'e', address: city } }
  const issue = { id: 'i', done: true, assignee: person, labels: [person, person] }
  const pagination = { has_more: false, end_cursor: null }
  const valid = { issues: [issue], first: issue, either: null, pagination }

  it('shows the fields of the result in full, and of rows the names of theirs', () => {
    const row = { type: 'object', description: '{id, done, assignee, labels}' }
    expect(outputSchema['properties']).toEqual({
      issues: { type: 'array', minItems: 1, items: row, description: 'All of them.' },
      first: { type: 'object' },
      either: { anyOf: [{ anyOf: [{ type: 'object' }, { type: 'string' }] }, { type: 'null' }] },
      pagination: { type: 'object' },
    })
    expect(outputSchema).not.toHaveProperty('required')
    expect(JSON.stringify(outputSchema)).not.toMatch(/profile|city/)
  })

  it.each([
    ['in full', valid],
    ['without what is optional', { issues: [{ ...issue, done: undefined, assignee: null, labels: [] }], either: issue, pagination }],
    ['with another member of a union', { ...valid, either: 'text', pagination: { has_more: true, end_cursor: 'c' } }],
  ])('accepts what the definition accepts: a result %s', async (_, result) => {
    const sent: unknown = JSON.parse(JSON.stringify(result))
    expect(output.safeParse(sent).success).toBe(true)
    expect(await accepts(outputSchema, sent)).toBe(true)
  })

  it('accepts new fields anywhere', async () => {
    const fresh = { ...issue, fresh: 1, assignee: { ...person, fresh: 1 }, labels: [{ fresh: { deep: 1 } }] }
    expect(
      await accepts(outputSchema, { ...valid, fresh: 1, issues: [fresh], first: fresh, pagination: { ...pagination, fresh: 1 } }),
    ).toBe(true)
    expect(JSON.stringify(outputSchema)).not.toContain('additionalProperties')
  })

  it('refuses a result that does not fit', async () => {
    for (const wrong of [
      { ...valid, issues: 'none' },
      { ...valid, issues: [] },
      { ...valid, issues: ['x'] },
      { ...valid, first: 'x' },
    ])
      expect(await accepts(outputSchema, wrong)).toBe(false)
  })

  it('names the fields of a row behind its description, except those that only say that a list in it is cut', () => {
    const row = nothing.extend({ f0: text, f1: text, has_more_f1: flag })
    const described = describeTool({ ...tool('read'), output: nothing.extend({ rows: z.array(row), told: z.array(row.describe('One.')) }) })
    expect(described.outputSchema['properties']).toEqual({
      rows: { type: 'array', items: { type: 'object', description: '{f0, f1}' } },
      told: { type: 'array', items: { type: 'object', description: 'One. {f0, f1}' } },
    })
  })

  it('says of every field what it may hold, with one type at a time', () => {
    const described = describeTool({
      ...tool('read'),
      output: output.extend({
        next: text.nullable().describe('To read on.'),
        any: z.array(nothing.extend({ value: z.unknown() })),
        notices: z.array(text),
      }),
    })
    expect(described.outputSchema['properties']).not.toHaveProperty('notices')
    expect(described.outputSchema['properties']).toMatchObject({
      next: { anyOf: [{ type: 'string', description: 'To read on.' }, { type: 'null' }] },
      any: { type: 'array', items: { type: 'object', description: '{value}' } },
    })
  })

  it('keeps the types of a JSON schema that replaces a zod schema', async () => {
    const loose = withJsonSchema(Person.nullable(), { type: ['object', 'null'], properties: { id: { type: 'string' } } })
    const deep = nothing.extend({ a: nothing.extend({ b: loose }) })
    const described = describeTool({ ...tool('read'), output: deep })
    expect(await accepts(described.outputSchema, { a: { b: null } })).toBe(true)
  })

  it('accepts fields that are named like keywords', async () => {
    const record = nothing.extend({ properties: text, items: text, required: flag, additionalProperties: text })
    const odd = record.extend({ a: record })
    const described = describeTool({ ...tool('read'), output: odd })
    const values = { properties: 'x', items: 'y', required: true, additionalProperties: 'z' }
    expect(await accepts(described.outputSchema, { ...values, a: values })).toBe(true)
    expect(await accepts(described.outputSchema, { ...values, a: values, additionalProperties: 1 })).toBe(false)
  })
})
