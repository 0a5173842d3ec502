import { expect, it } from 'vitest'
import { providers, refusalsOf } from './providers.ts'

const refusals = (schema: object, name = 'Server_Tool') =>
  providers.flatMap((provider) =>
    refusalsOf(provider, { name, inputSchema: { type: 'object', properties: { due: schema } } }).map((text) => `${provider.name}: ${text}`),
  )

it.each<[object, string[]]>([
  [{ type: 'string', maxLength: 60, description: 'A day.' }, []],
  [{ type: 'string', format: 'date' }, ['Gemini', 'Vertex AI']],
  [{ type: 'string', format: 'uri' }, ['OpenAI', 'Gemini', 'Vertex AI']],
  [{ type: 'array' }, ['OpenAI', 'Anthropic', 'Gemini', 'Vertex AI']],
  [{ type: 'array', items: { type: 'array' } }, ['OpenAI', 'Anthropic', 'Gemini', 'Vertex AI']],
  [{ anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'Either.' }, ['Gemini', 'Vertex AI']],
  [{ anyOf: [{ type: 'string', description: 'Either.' }, { type: 'integer' }] }, []],
  [{ const: 'a' }, ['Gemini', 'Vertex AI']],
  [{ type: 'integer', enum: [1, 2] }, ['Gemini', 'Vertex AI']],
  [{ type: ['string', 'null'] }, ['OpenAI', 'Anthropic', 'Gemini', 'Vertex AI']],
  [{ $ref: '#/$defs/a' }, ['Anthropic', 'Gemini', 'Vertex AI']],
  [{ type: 'integer', exclusiveMinimum: 0 }, ['Gemini', 'Vertex AI']],
])('%j is refused by %j', (schema, names) => {
  expect(refusals(schema).map((text) => text.split(':')[0])).toEqual(names)
})

it('refuses names and roots', () => {
  for (const name of ['a.b c', 'x'.repeat(65)]) expect(refusals({ type: 'string' }, name)).toHaveLength(4)
  for (const provider of providers) {
    expect(refusalsOf(provider, { name: 'T', inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } })).not.toEqual([])
    expect(refusalsOf(provider, { name: 'T', inputSchema: { type: 'object', required: ['a'] } })).not.toEqual([])
    expect(refusalsOf(provider, { name: 'T', inputSchema: { type: 'string' } })).not.toEqual([])
  }
})
