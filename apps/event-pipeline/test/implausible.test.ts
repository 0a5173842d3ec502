import { ManualClock } from '@mcp-toolkits/core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endpoints, execution, goodBodies, pipeline } from './pipeline.ts'

const tools = new Map(endpoints.map(({ call, tool }) => [call, tool]))
const toolOf = (call: (typeof endpoints)[number]['call']) => tools.get(call) ?? ''

/** Places of ids in the calls. */
const idPlaces = [
  ['identify', 'userId'],
  ['track', 'userId'],
  ['track', 'anonymousId'],
  ['track', 'messageId'],
  ['page', 'userId'],
  ['screen', 'anonymousId'],
  ['group', 'groupId'],
  ['group', 'userId'],
  ['alias', 'previousId'],
  ['alias', 'userId'],
] as const

const nobody = ['undefined', 'null', '[object Object]', '  ', '{{customer.id}}', '${userId}', ' NULL ']

test.for(idPlaces)('%s refuses a placeholder as %s in both modes, alone and in a batch', async ([call, field]) => {
  await using server = await pipeline()
  for (const value of nobody) {
    const body = { ...goodBodies[call], [field]: value }
    const error = await server.fails(toolOf(call), execution(body))
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false })
    expect(error.message).toContain(`Nothing was sent. ${field} is `)
    expect(error).not.toHaveProperty('next')
    const batch = [
      { type: 'track', userId: 'u1', event: 'E' },
      { type: call, ...body },
    ]
    expect((await server.fails(toolOf('batch'), execution({ batch }))).message).toContain(`batch[1].${field} is `)
  }
  expect(server.emulator.store.requests()).toEqual([])
})

test.for(endpoints.map(({ call, tool }) => [tool, call] as const))('%s: a good body gets no notice', async ([tool, call]) => {
  await using server = await pipeline()
  const { notices } = await server.call(tool, execution(goodBodies[call]))
  expect(JSON.stringify(notices ?? [])).not.toContain('programs write')
})

test('an id that is not a placeholder is sent, whatever it is', async () => {
  await using server = await pipeline()
  const ids = fc.string({ minLength: 1, maxLength: 30 }).map((text) => `id-${text}x`)
  await fc.assert(
    fc.asyncProperty(ids, async (userId) => {
      expect(await server.call(toolOf('track'), execution({ ...goodBodies.track, userId }))).toMatchObject({ outcome: 'delivered' })
    }),
    { numRuns: 20 },
  )
})

test.for([
  ['identify', { userId: 'u', traits: { unsubscribed_newsletter: true } }, 'traits.unsubscribed_newsletter', 'reads unsubscribed'],
  ['identify', { userId: 'u', traits: { Unsubscribed: true } }, 'traits.Unsubscribed', 'unsubscribed'],
  ['identify', { userId: 'u', traits: { email: 'ada @example.com' } }, 'traits.email', 'Did you mean "ada@example.com"?'],
  ['identify', { userId: 'u', traits: { email: 'Ada <ada@example.com>' } }, 'traits.email', 'Did you mean "ada@example.com"?'],
  ['identify', { userId: 'u', traits: { email: 'nobody' } }, 'traits.email', 'is not an email address'],
  ['identify', { userId: ' u ', traits: {} }, 'userId', 'a different id from "u"'],
  ['identify', { userId: 'u', timestamp: '2020-01-01T00:00:00Z' }, 'timestamp', 'years ago'],
  ['identify', { userId: 'u', timestamp: '2025-12-20T00:00:00Z' }, 'timestamp', 'may overwrite them'],
  ['track', { userId: 'u', event: 'E', timestamp: '1970-01-21T10:00:00Z' }, 'timestamp', 'may be meant'],
  ['identify', { userId: 'u', traits: { unsubscribed: 'maybe' } }, 'traits.unsubscribed', 'so messages continue'],
  ['identify', { userId: 'u', traits: { renewed_at: 1_461_866_400_000 } }, 'traits.renewed_at', 'Write 1461866400.'],
  ['track', { userId: 'u', event: 'E', timestamp: '2099-01-01T00:00:00Z' }, 'timestamp', 'years ahead'],
  ['identify', { userId: 'u', traits: { renewed_at: 'yesterday' } }, 'traits.renewed_at', 'as text'],
  ['track', { userId: 'u', anonymousId: '', event: 'E' }, 'anonymousId', 'counts as absent'],
  ['track', { userId: 'u', event: 'suppressUser' }, 'event', 'only "User Suppressed" deletes the person and blocks'],
  ['track', { userId: 'u', event: 'deleted_customer' }, 'event', 'only "User Deleted" deletes the person'],
  ['track', { userId: 'u', event: 'page_view' }, 'event', 'a call of type page'],
  ['track', { userId: 'u', event: 'page_view' }, 'event', 'a call of type page'],
  ['page', { userId: 'u', event: 'page_view' }, 'event', 'no such field'],
  ['group', { userId: 'u', groupId: 'g', traits: { permissions: ['read'] } }, 'traits.permissions', 'traits.relationshipAttributes'],
  ['track', { userId: 'u', event: 'E', integrations: { all: false } }, 'integrations.all', 'reads integrations.All'],
  ['page', { userId: 'u', properties: { page_title: 'Home' } }, 'properties.page_title', 'reads properties.title'],
  ['screen', { userId: 'u', name: 'https://example.com/' }, 'name', 'SendPageViewEvent'],
  ['alias', { userId: 'ada@example.com', previousId: 'ben@example.com' }, 'previousId', 'merges them for good'],
  ['alias', { userId: 'user-12', previousId: 'user-7' }, 'previousId', 'merges them for good'],
] as const)('%s %j is sent, and its result says what is odd', async ([call, body, at, problem]) => {
  await using server = await pipeline()
  const result = await server.call(toolOf(call), execution(body))
  expect(result).toMatchObject({ outcome: 'delivered', findings: [{ at }] })
  expect(JSON.stringify(result['findings']).replaceAll('\\"', '"')).toContain(problem)
})

test.for([
  ['0001-01-01T00:00:00Z', '2026-11-28T00:00:00Z', 'is 2025 years ago'],
  ['2020-02-29T00:00:00Z', '2026-02-28T00:00:00Z', 'is 5 years ago'],
  ['2025-11-28T00:00:00Z', '2026-11-28T00:00:00Z', 'is 1 year ago'],
  ['2030-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'is 4 years ahead'],
])('%s, seen at %s, %s', async ([timestamp = '', now = '', words]) => {
  await using server = await pipeline({ clock: new ManualClock({ start: Date.parse(now) }) })
  const result = await server.call(toolOf('track'), execution({ ...goodBodies.track, timestamp }))
  expect(JSON.stringify(result['findings'])).toContain(words)
})

test.for([
  ['identify', { userId: 'u', traits: { unsubscribed: true, email: 'ada+x@mail.example.com', subscription: 'pro' } }],
  ['alias', { userId: 'u1', previousId: '0b9f6f0e-7d1c-4c55-9f5d-6b0f7a3f8f10' }],
  ['identify', { userId: 'u', traits: { unsubscribed: 'TRUE', renewed_at: 1_461_866_400, visits: 1_461_866_400_000 } }],
  ['alias', { userId: 'u1', previousId: 'anonymous-1' }],
  ['track', { userId: 'u', event: 'User Deleted Account' }],
  ['identify', { userId: 'u', traits: { created_at: 1_461_866_400 } }],
] as const)('%s %j gets no remark', async ([call, body]) => {
  await using server = await pipeline()
  expect(await server.call(toolOf(call), execution(body))).toMatchObject({ outcome: 'delivered', findings: [] })
})

test('a batch with a dropped item is not reported as delivered, and the intended type is named', async () => {
  await using server = await pipeline()
  const batch = [
    { type: 'track', userId: 'u1', event: 'E' },
    { type: 'trak', userId: 'u1' },
  ]
  const result = await server.call(toolOf('batch'), execution({ batch }))
  expect(result).toMatchObject({ outcome: 'partly_dropped', dropped: 'batch[1]', findings: [{ at: 'batch[1].type' }] })
  expect(JSON.stringify(result['findings'])).toContain('may mean track')
})

test.for([
  [
    { userId: 'u', group: { id: 'acme' } },
    { groupId: 'acme', userId: 'u' },
  ],
  [
    { userId: 'u', company: { id: 7, name: 'Acme' } },
    { groupId: '7', userId: 'u', traits: { name: 'Acme' } },
  ],
])('a group in an object is refused, and the next step adds the person: %j', async ([body, corrected]) => {
  await using server = await pipeline()
  const error = await server.fails(toolOf('group'), execution(body ?? {}))
  const written: unknown = error.next?.change?.['request_body']
  expect(JSON.parse(String(written))).toEqual(corrected)
  expect(await server.call(toolOf('group'), { mode: 'execute', request_body: written })).toMatchObject({
    outcome: 'delivered',
    findings: [],
  })
})
