import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describe as describeSchema, withJsonSchema, toJsonSchema } from './json-schema.ts'
import { sentence } from '../errors/message.ts'

describe('a published schema', () => {
  it('describes the input, without the dialect', () => {
    const input = z.strictObject({
      name: z.string().describe('Its name.'),
      limit: z.int().min(1).max(100).default(20).describe('How many.'),
    })
    expect(toJsonSchema(input)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Its name.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many.' },
      },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it('leaves out the bounds of safe integers', () => {
    const input = z.object({ any: z.int(), from: z.int().min(0), to: z.int().max(9), nested: z.array(z.object({ deep: z.int() })) })
    const published = toJsonSchema(input)
    expect(published['properties']).toMatchObject({ any: { type: 'integer' }, from: { type: 'integer', minimum: 0 }, to: { maximum: 9 } })
    expect(JSON.stringify(published)).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })
})

describe('a published text', () => {
  it('has a length, but not a minimum of 1', () => {
    const input = z.strictObject({ one: z.string().min(1), two: z.string().min(2) })
    expect(toJsonSchema(input)['properties']).toEqual({ one: { type: 'string' }, two: { type: 'string', minLength: 2 } })
  })
})

describe('a description', () => {
  it('may be a text, or a message that can be spelled later', () => {
    const text = sentence`A team of ${{ tool: 'Acme.ListTeams' }}.`
    const input = z.object({ plain: describeSchema(z.string(), 'A name.'), team: describeSchema(z.string(), text) })
    expect(toJsonSchema(input)['properties']).toEqual({
      plain: { type: 'string', description: 'A name.' },
      team: { type: 'string', description: 'A team of Acme.ListTeams.', 'x-message': [['A team of ', { tool: 'Acme.ListTeams' }, '.']] },
    })
  })
})

describe('withJsonSchema', () => {
  const Flag = withJsonSchema(z.union([z.boolean(), z.stringbool()]), { type: 'boolean', description: 'Whether.' })

  it('publishes one schema and accepts another', () => {
    const input = z.strictObject({ flag: Flag })
    expect(toJsonSchema(input)['properties']).toEqual({ flag: { type: 'boolean', description: 'Whether.' } })
    expect(input.safeParse({ flag: 'true' }).success).toBe(true)
  })

  it('applies inside other schemas', () => {
    const input = z.strictObject({ one: Flag.optional(), many: z.array(Flag), told: Flag.describe('Another word.') })
    expect(toJsonSchema(input)).toMatchObject({
      properties: { one: { type: 'boolean' }, many: { type: 'array', items: { type: 'boolean' } }, told: { type: 'boolean' } },
      required: ['many', 'told'],
    })
    expect(JSON.stringify(toJsonSchema(input))).not.toContain('anyOf')
  })

  it('does not change the JSON that it is given', () => {
    const json = { type: 'object', properties: { a: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } } }
    const before = structuredClone(json)
    const schema = z.object({ x: withJsonSchema(z.unknown(), json) })
    expect(toJsonSchema(schema)).toEqual(toJsonSchema(schema))
    expect(json).toEqual(before)
  })

  it('does not affect other schemas', () => {
    expect(toJsonSchema(z.object({ plain: z.boolean() }))['properties']).toEqual({ plain: { type: 'boolean' } })
  })
})
