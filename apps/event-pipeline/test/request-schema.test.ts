import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallName } from '../src/pipelines/calls.ts'
import { findingsIn } from '../src/pipelines/findings/findings.ts'
import { openapiOf } from '../src/pipelines/openapi.ts'
import { endpoints, goodBodies, pipeline } from './pipeline.ts'
import { runs } from '@mcp-toolkits/testing'

function validatorOf(call: CallName) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...openapiOf(call), $id: 'https://example.com/openapi' })
  const component = call.charAt(0).toUpperCase() + call.slice(1)
  return ajv.compile({ $ref: `https://example.com/openapi#/components/schemas/${component}` })
}

test.for(endpoints)('$tool returns an OpenAPI document that accepts a valid body', async ({ tool, call }) => {
  await using server = await pipeline()
  const { mode, openapi } = await server.call(tool, { mode: 'get_request_schema' })
  expect(mode).toBe('get_request_schema')
  expect(openapi).toEqual(openapiOf(call))
  expect(openapi).toMatchObject({ openapi: '3.1.0', paths: { [`/${call}`]: { post: { requestBody: { required: true } } } } })
  const text = JSON.stringify(openapi)
  expect(text).not.toContain('oneOf')
  const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  expect(Object.keys(openapiSchemas(openapi)).sort()).toEqual([...new Set(named)].sort())
  const validate = validatorOf(call)
  expect(validate(goodBodies[call]), JSON.stringify(validate.errors)).toBe(true)
  expect(server.emulator.store.requests()).toEqual([])
})

function openapiSchemas(openapi: unknown): object {
  const { components } = Object.assign({ components: { schemas: {} } }, openapi)
  return components.schemas
}

test('ignores the other parameters in get_request_schema mode, even malformed ones', async () => {
  await using server = await pipeline()
  for (const { tool, parameter } of endpoints) {
    const result = await server.call(tool, { mode: 'get_request_schema', [parameter]: { a: [1] }, request_body: '{not json' })
    expect(Object.keys(result)).toEqual(['mode', 'notices', 'openapi'])
    expect(JSON.stringify(result['notices'])).toContain('Nothing was sent')
  }
})

// The vendor's own schema rejects some of these, although its clients send them.
test.for([
  ['identify', { userId: 'u', anonymousId: 'a' }, true],
  ['identify', { userId: 'u', context: { ip: '1.2.3.4' } }, true],
  ['identify', { traits: { email: 'a@b.c' } }, true],
  ['identify', { traits: {} }, false],
  ['group', { groupId: 'g', userId: 'u' }, true],
  ['group', { groupId: 'g' }, true],
  ['group', { userId: 'u' }, false],
  ['track', { userId: 'u', event: 'User Deleted' }, true],
  ['track', { userId: 'u', event: '' }, false],
  ['track', { event: 'X' }, false],
  ['track', { groupId: 'g', event: 'X', integrations: null }, true],
  ['page', { name: 'Home' }, false],
  ['screen', { userId: 'u', channel: 'mobile', extra: { kept: true } }, true],
  ['alias', { userId: 'u' }, false],
  ['alias', { userId: 'u', previousId: 'a', messageId: 'm' }, true],
  ['batch', {}, false],
  ['batch', { batch: [] }, false],
  ['batch', { batch: [{ type: 'track', userId: 'u', event: 'X' }], writeKey: 'k', sentAt: '2026-01-01T00:00:00Z' }, true],
  ['batch', { batch: [{ userId: 'u', event: 'X' }] }, false],
  ['batch', { batch: [{ type: 'track', event: 'X' }] }, false],
] as const)('%s %j is valid: %s', ([call, body, valid]) => {
  expect(validatorOf(call)(body)).toBe(valid)
})

const scalar = fc.oneof(
  fc.constantFrom('', 'u1', '2026-01-31T12:00:00Z', 'User Deleted'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant({}),
)
const fields = [
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
  'event',
  'name',
  'messageId',
  'timestamp',
  'traits',
  'properties',
  'context',
  'integrations',
]
const anyBody = fc.dictionary(fc.constantFrom(...fields), scalar)

test.for(['identify', 'track', 'page', 'screen', 'group', 'alias'] as const)(
  'finds a mistake in every body that the schema of %s rejects',
  (call) => {
    const validate = validatorOf(call)
    fc.assert(
      fc.property(anyBody, (body) => {
        if (!validate(body)) expect(findingsIn(call, body), JSON.stringify(body)).not.toEqual([])
      }),
      { numRuns: runs(1_000) },
    )
  },
)

test('a mode used as a tool name, together with a real one, leads to the document of that tool', async () => {
  await using server = await pipeline()
  await expect(server.call('get_request_schema', { tool: 'SendBatchRequests' })).rejects.toMatchObject({
    data: { next: { tool: 'EventPipelineApi_SendBatchRequests', arguments: { mode: 'get_request_schema' } } },
  })
})
