import { describe, expect, it } from 'vitest'
import { covers } from './covers.ts'
import { bad, connected, ok } from './send.ts'

const person = { userId: 'u1' }
const track = { ...person, event: 'x' }

describe('strict mode', () => {
  it.each([
    ['identify', {}, 'userId or anonymousId or traits.email is required'],
    ['identify', { userId: '' }, 'userId or anonymousId or traits.email is required'],
    ['identify', { userId: null, anonymousId: 'a' }, 'userId must be text, got null'],
    ['identify', { ...person, traits: [] }, 'traits must be an object, got an array'],
    ['identify', { ...person, traits: { email: 1 } }, 'traits.email must be text, got a number'],
    [
      'identify',
      { ...person, traits: { cio_subscription_preferences: { topics: { topic_1: 'yes' } } } },
      'traits.cio_subscription_preferences.topics.topic_1 must be true or false, got text',
    ],
    ['track', { event: 'x' }, 'userId or anonymousId or groupId is required'],
    ['track', person, 'event is required'],
    ['track', { ...person, event: '' }, 'event is required'],
    ['track', { ...person, event: 5 }, 'event must be text, got a number'],
    ['track', { ...track, properties: 'x' }, 'properties must be an object, got text'],
    ['track', { ...track, messageId: 5 }, 'messageId must be text, got a number'],
    ['track', { ...track, integrations: { All: 'no' } }, 'integrations.All must be true or false, got text'],
    ['track', { ...track, context: null }, 'context must be an object, got null'],
    ['track', { ...track, context: { active: 'yes' } }, 'context.active must be true or false, got text'],
    ['track', { ...track, context: { channel: 'fax' } }, 'context.channel must be one of browser, server, mobile, got text'],
    ['track', { ...track, context: { page: { keywords: ['a', 1] } } }, 'context.page.keywords[1] must be text, got a number'],
    ['track', { ...track, context: { page: { keywords: 'a' } } }, 'context.page.keywords must be an array, got text'],
    ['page', { name: 'Home' }, 'userId or anonymousId is required'],
    ['page', { ...person, properties: { url: 1 } }, 'properties.url must be text, got a number'],
    ['screen', { name: 'Home' }, 'userId or anonymousId is required'],
    ['group', person, 'groupId is required'],
    ['group', { groupId: 'g', traits: { objectTypeId: 1.5 } }, 'traits.objectTypeId must be text or a whole number, got a number'],
    ['alias', person, 'previousId is required'],
    ['alias', { previousId: 'a' }, 'userId is required'],
  ])(
    'refuses %s %j',
    covers(
      'strict/bad-body',
      'strict/bad-body-text',
      'strict/nested-types',
      'permissive/bad-body-or-key',
      'identify/needs',
      'track/needs',
      'track/empty-event',
      'page/needs',
      'group/needs',
      'group/object-type',
      'alias/needs',
      'fields/empty-ids',
      'fields/integrations',
      'fields/context',
    ),
    async (endpoint, call, error) => {
      const { send, strictly, store } = connected()
      expect(await strictly(endpoint, call)).toEqual(bad(error))
      expect(await send(endpoint, call)).toEqual(ok)
      expect(store.events()).toMatchObject([
        { outcome: 'refused', reason: error },
        { outcome: 'dropped', reason: error },
      ])
    },
  )

  it('lists every mistake', async () => {
    const { strictly } = connected()
    expect(await strictly('track', { timestamp: 1, properties: [] })).toMatchObject({ answer: { meta: { errors: { length: 4 } } } })
  })
})

describe('date-times', () => {
  const answerTo = async (timestamp: unknown) => (await connected().strictly('track', { ...track, timestamp })).status

  it.each(['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.123456Z', '2024-02-29T00:00:00+05:30', '2026-01-31t09:30:00z'])(
    'accepts %s',
    covers('fields/timestamp-format'),
    async (text) => {
      expect(await answerTo(text)).toBe(200)
    },
  )

  it.each([
    1769850000,
    1769850000000,
    null,
    '',
    '1769850000',
    '2026-01-31',
    '2026-01-31 09:30:00Z',
    '2026-01-31T09:30:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:30:00+25:00',
    'yesterday',
  ])('refuses %j', covers('fields/timestamps', 'fields/timestamp-format'), async (value) => {
    expect(await answerTo(value)).toBe(400)
  })

  it('applies to traits.createdAt', covers('fields/timestamps'), async () => {
    const { strictly } = connected()
    const error = 'traits.createdAt must be an ISO 8601 date-time such as "2026-01-31T09:30:00Z", got a number'
    expect(await strictly('identify', { ...person, traits: { createdAt: 1769850000 } })).toEqual(bad(error))
  })
})

describe('accepted calls', () => {
  it.each([
    ['track', { groupId: 'g', event: 'x' }, ''],
    ['track', { ...track, integrations: null, channel: 'server', _metadata: {}, type: 'anything' }, ''],
    [
      'identify',
      { ...person, anonymousId: 'a', context: { ip: '1.2.3.4', os: { name: 'x' }, page: { url: 'y' }, library: { name: 'z' } } },
      '',
    ],
    ['identify', { traits: { email: 'a@example.com' } }, ''],
    ['identify', { ...person, traits: { unsubscribed: 'TRUE' } }, ''],
    ['group', { groupId: 'g', traits: { objectTypeId: 2, relationshipAttributes: { role: 'x' } } }, ''],
    ['group', { groupId: 'g', traits: { objectTypeId: '2' } }, ''],
    ['track', { ...track, userId: 42 }, 'userId is a number; the vendor declares text'],
    [
      'track',
      { ...track, receivedAt: 5, version: 'x' },
      'receivedAt is set by the service and was ignored\nversion is set by the service and was ignored',
    ],
  ])(
    '%s %j has the note %j',
    covers(
      'identify/needs',
      'identify/unsubscribed',
      'group/object-type',
      'fields/unknown',
      'fields/integrations',
      'fields/context',
      'fields/number-ids',
      'fields/read-only',
    ),
    async (endpoint, call, notes) => {
      const { strictly, store } = connected()
      expect(await strictly(endpoint, call)).toEqual(ok)
      expect(store.events()).toMatchObject([{ outcome: 'accepted', notes }])
    },
  )

  it('ignores an anonymous identify', covers('identify/anonymous', 'identify/anonymous-status'), async () => {
    const { send, strictly, store } = connected()
    expect([await send('identify', { anonymousId: 'a' }), await strictly('identify', { anonymousId: 'a' })]).toEqual([ok, ok])
    const reason = 'Customer.io ignores an anonymous identify call: it has no userId and no traits.email'
    expect(store.events()).toMatchObject([
      { outcome: 'dropped', reason },
      { outcome: 'dropped', reason },
    ])
  })

  it('flags reserved events', covers('track/semantic-events', 'track/semantic-events-flagged'), async () => {
    const { send, store } = connected()
    await send('track', { ...person, event: 'User Deleted' })
    await send('track', { anonymousId: 'a', event: 'User Suppressed' })
    await send('page', { ...person, name: 'User Deleted' })
    expect(store.events().map(({ outcome, semantic, notes }) => [outcome, semantic, notes])).toEqual([
      ['accepted', 'deletes a person', ''],
      ['accepted', 'deletes a person and blocks adding them again', 'this semantic event needs userId to have its effect'],
      ['accepted', null, ''],
    ])
  })
})

describe('a messageId', () => {
  const call = { ...track, messageId: 'm1' }

  it('is processed once, even if another request repeats it', covers('messages/duplicate'), async () => {
    const { send, strictly, store } = connected()
    await send('track', call)
    expect(await strictly('track', call)).toEqual(ok)
    expect(await send('batch', { batch: [{ type: 'track', ...call }] })).toEqual(ok)
    expect(store.events().map(({ outcome, duplicate_of, notes }) => [outcome, duplicate_of, notes])).toEqual([
      ['accepted', null, ''],
      ['duplicate', 1, ''],
      ['duplicate', 1, 'its body differs from the one that was accepted'],
    ])
    expect(store.events()[1]?.reason).toBe('messageId was accepted before, as event 1')
  })

  it('may be repeated after it was dropped or refused', covers('messages/not-accepted'), async () => {
    const { send, strictly, store } = connected()
    await send('track', { ...call, event: '' })
    await strictly('track', { ...call, event: '' })
    await send('track', call)
    expect(store.events().map(({ outcome }) => outcome)).toEqual(['dropped', 'refused', 'accepted'])
  })

  it('causes no duplicates when it is missing or empty', covers('fields/empty-ids'), async () => {
    const { send, store } = connected()
    for (const one of [track, track, { ...track, messageId: '' }, { ...track, messageId: '' }]) await send('track', one)
    expect(store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
  })
})
