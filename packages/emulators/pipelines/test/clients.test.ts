import { Analytics as CustomerIoAnalytics } from '@customerio/cdp-analytics-node'
import RudderAnalytics from '@rudderstack/rudder-sdk-node'
import { Analytics as SegmentAnalytics } from '@segment/analytics-node'
import { PipelinesClient } from 'customerio-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pipelinesEmulator } from '../src/index.ts'

const key = 'k-123'

async function listening() {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  const outcomes = () => emulator.store.events().map(({ type, outcome }) => [type, outcome])
  return { ...emulator, url, outcomes }
}

/** A retry policy that does not make a test wait. */
const quickly = { minTimeoutMs: 1, maxTimeoutMs: 2 }

/** Matches text that contains `part`. */
const mentioning = (part: string): unknown => expect.stringContaining(part)

const person = { userId: 'u1' }

describe.each([false, true])('customerio-node with strictMode %j', (strictMode) => {
  const connect = async () => {
    const { url, ...rest } = await listening()
    return { ...rest, client: new PipelinesClient(key, { url: `${url}/v1`, strictMode, retry: quickly }), url }
  }

  it('is served on all seven paths', async () => {
    const { client, store, outcomes } = await connect()
    await client.identify({ ...person, traits: { email: 'a@example.com' } })
    await client.track({ ...person, event: 'Signed Up' })
    await client.page({ ...person, name: 'Home' })
    await client.screen({ ...person, name: 'Home' })
    await client.group({ ...person, groupId: 'g1' })
    await client.alias({ ...person, previousId: 'a1' })
    await client.batch([
      { type: 'track', ...person, event: 'In a batch' },
      { type: 'identify', ...person, traits: { plan: 'pro' } },
    ])
    expect(outcomes()).toEqual(
      ['identify', 'track', 'page', 'screen', 'group', 'alias', 'track', 'identify'].map((type) => [type, 'accepted']),
    )
    const events = store.events()
    expect(new Set(events.map(({ message_id }) => message_id)).size).toBe(8)
    expect(events.every(({ body, bytes }) => Buffer.byteLength(body) === bytes)).toBe(true)
    expect(store.requests().map(({ strict, key_ok, status }) => [strict, key_ok, status])).toEqual(Array(7).fill([strictMode, true, 200]))
  })

  it('sends a number id, which is noted', async () => {
    const { client, store } = await connect()
    await client.track({ userId: 42, event: 'x' })
    expect(store.events()).toMatchObject([{ outcome: 'accepted', user_id: '42', notes: 'userId is a number; the vendor declares text' }])
  })

  it('learns of a bad body only in strict mode', async () => {
    const { client, store } = await connect()
    const sent = client.track({ ...person, event: 'x', timestamp: 'yesterday' })
    if (strictMode) await expect(sent).rejects.toMatchObject({ statusCode: 400, message: mentioning('timestamp must be') })
    else await expect(sent).resolves.toEqual({})
    expect(store.events()).toMatchObject([{ outcome: strictMode ? 'refused' : 'dropped', reason: mentioning('timestamp must be') }])
  })

  it('learns of an oversize body only in strict mode', async () => {
    const { client, outcomes } = await connect()
    const sent = client.track({ ...person, event: 'x', properties: { filler: 'x'.repeat(40_000) } })
    if (strictMode) await expect(sent).rejects.toMatchObject({ statusCode: 400 })
    else await expect(sent).resolves.toEqual({})
    expect(outcomes()).toEqual([['track', strictMode ? 'refused' : 'dropped']])
  })

  it('learns of a bad key only in strict mode', async () => {
    const { url, store } = await connect()
    const sent = new PipelinesClient('other', { url: `${url}/v1`, strictMode }).track({ ...person, event: 'x' })
    if (strictMode) await expect(sent).rejects.toMatchObject({ statusCode: 401 })
    else await expect(sent).resolves.toEqual({})
    expect(store.events()).toMatchObject([{ outcome: strictMode ? 'refused' : 'dropped', reason: 'bad key: wrong key' }])
  })

  it('repeats the same bytes when the reply is lost, and duplicates nothing', async () => {
    const { client, faults, store, outcomes } = await connect()
    faults.add({ match: { method: 'POST', path: '/v1/track' }, action: { kind: 'drop_after' } })
    await client.track({ ...person, event: 'x' })
    expect(outcomes()).toEqual([
      ['track', 'accepted'],
      ['track', 'duplicate'],
    ])
    const [first, second] = store.requests()
    expect([first?.fault, first?.status, second?.fault, second?.status]).toEqual(['drop_after', null, null, 200])
    expect(second?.body).toBe(first?.body)
  })

  it('gets through a seeded storm with every event accepted once', async () => {
    const { client, faults, store } = await connect()
    faults.add({ action: { kind: 'chaos', seed: 1, rate: 0.6, kinds: ['status', 'status_after_commit', 'drop_before', 'drop_after'] } })
    const messageIds = Array.from({ length: 20 }, (_, i) => `m${i}`)
    await Promise.all(messageIds.map((messageId) => client.track({ ...person, event: 'x', messageId })))
    const accepted = store.events().filter(({ outcome }) => outcome === 'accepted')
    expect(accepted.map(({ message_id }) => message_id).sort()).toEqual(messageIds.toSorted())
    expect(store.requests().some(({ fault }) => fault !== null)).toBe(true)
  })
})

describe('clients that send batches', () => {
  it('@customerio/cdp-analytics-node', async () => {
    const { url, faults, store } = await listening()
    faults.add({ action: { kind: 'drop_after' } })
    const analytics = new CustomerIoAnalytics({ writeKey: key, host: url })
    analytics.identify({ ...person, traits: { email: 'a@example.com' } })
    analytics.track({ ...person, event: 'Signed Up' })
    analytics.page({ ...person, name: 'Home' })
    analytics.screen({ ...person, name: 'Home' })
    analytics.group({ ...person, groupId: 'g1' })
    analytics.alias({ ...person, previousId: 'a1' })
    await analytics.closeAndFlush()
    const types = ['identify', 'track', 'page', 'screen', 'group', 'alias']
    const twice = ['accepted', 'duplicate'].flatMap((outcome) => types.map((type) => [type, outcome]))
    expect(store.events().map(({ type, outcome }) => [type, outcome])).toEqual(twice)
    expect(store.requests().map(({ path, key_ok, fault }) => [path, key_ok, fault])).toEqual([
      ['/v1/batch', true, 'drop_after'],
      ['/v1/batch', true, null],
    ])
  })

  it('@segment/analytics-node', async () => {
    const { url, store, outcomes } = await listening()
    const analytics = new SegmentAnalytics({ writeKey: key, host: url })
    analytics.identify({ ...person, traits: { email: 'a@example.com' } })
    analytics.track({ ...person, event: 'Signed Up' })
    analytics.page({ ...person, name: 'Home' })
    analytics.screen({ ...person, name: 'Home' })
    analytics.group({ ...person, groupId: 'g1' })
    analytics.alias({ ...person, previousId: 'a1' })
    await analytics.closeAndFlush()
    expect(outcomes()).toEqual(['identify', 'track', 'page', 'screen', 'group', 'alias'].map((type) => [type, 'accepted']))
    const [request] = store.requests()
    expect(request).toMatchObject({ path: '/v1/batch', key_ok: true, strict: false })
    expect(request?.bytes).toBe(Buffer.byteLength(request?.body ?? ''))
  })

  it('@segment/analytics-node, whose own guard lets an oversize event pass', async () => {
    const { url, store } = await listening()
    const analytics = new SegmentAnalytics({ writeKey: key, host: url })
    analytics.track({ ...person, event: 'x', properties: { filler: 'x'.repeat(60_000) } })
    await analytics.closeAndFlush()
    expect(store.requests()).toMatchObject([{ status: 200 }])
    expect(store.events()).toMatchObject([{ outcome: 'dropped', reason: mentioning('the limit is 32768') }])
  })

  it.each([true, false])('@rudderstack/rudder-sdk-node with gzip %j', async (gzip) => {
    const { url, store, outcomes } = await listening()
    const analytics = new RudderAnalytics(key, { dataPlaneUrl: url, gzip, flushAt: 5 })
    analytics.identify({ ...person, traits: { email: 'a@example.com' } })
    analytics.track({ ...person, event: 'Signed Up' })
    analytics.page({ ...person, name: 'Home' })
    analytics.group({ ...person, groupId: 'g1' })
    analytics.alias({ ...person, previousId: 'a1' })
    await analytics.flush()
    expect(outcomes()).toEqual(['identify', 'track', 'page', 'group', 'alias'].map((type) => [type, 'accepted']))
    const sent = store.requests().reduce((total, { bytes }) => total + bytes, 0)
    const meant = store.requests().reduce((total, { body }) => total + Buffer.byteLength(body), 0)
    expect(store.requests().every(({ path, key_ok }) => path === '/v1/batch' && key_ok)).toBe(true)
    if (gzip) expect(sent).toBeLessThan(meant)
    else expect(sent).toBe(meant)
  })
})
