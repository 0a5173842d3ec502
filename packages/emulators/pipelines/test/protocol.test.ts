import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { covers } from './covers.ts'
import { basic, connected, ok } from './send.ts'

const track = { userId: 'u1', event: 'Signed Up' }

/** One valid call for each endpoint except the batch. */
const good = {
  identify: { userId: 'u1', traits: { email: 'a@example.com' } },
  track,
  page: { userId: 'u1', name: 'Home' },
  screen: { anonymousId: 'a1', name: 'Home' },
  group: { groupId: 'g1' },
  alias: { previousId: 'a1', userId: 'u1' },
}

describe('endpoints', () => {
  it.each(Object.entries(good))(
    '%s accepts a good call in both modes',
    covers('protocol/paths', 'protocol/key', 'page/needs'),
    async (endpoint, call) => {
      const { send, strictly, store } = connected()
      expect([await send(endpoint, call), await strictly(endpoint, call)]).toEqual([ok, ok])
      expect(store.events().map(({ type, outcome, body }) => [type, outcome, body])).toEqual([
        [endpoint, 'accepted', JSON.stringify(call)],
        [endpoint, 'accepted', JSON.stringify(call)],
      ])
      expect(store.requests().map(({ strict }) => strict)).toEqual([false, true])
    },
  )

  it('accepts all of them in a batch', covers('batch/type', 'batch/order'), async () => {
    const { strictly, store } = connected()
    const batch = Object.entries(good).map(([type, call]) => ({ type, ...call }))
    expect(await strictly('batch', { batch })).toEqual(ok)
    expect(store.events().map(({ type, position, outcome }) => [type, position, outcome])).toEqual(
      Object.keys(good).map((type, position) => [type, position, 'accepted']),
    )
  })

  it('stores the fields of an event, its time and its request', async () => {
    const { send, store } = connected({ now: () => Date.UTC(2026, 0, 31, 9, 30) })
    const call = {
      ...track,
      anonymousId: 'a1',
      groupId: 'g1',
      messageId: 'm1',
      timestamp: '2025-12-31T23:00:00Z',
      context: { ip: '1.2.3.4' },
    }
    await send('track', call)
    expect(store.events()).toStrictEqual([
      {
        id: 1,
        source: 'default',
        request_id: 1,
        position: null,
        type: 'track',
        message_id: 'm1',
        user_id: 'u1',
        anonymous_id: 'a1',
        group_id: 'g1',
        previous_id: null,
        event: 'Signed Up',
        timestamp: '2025-12-31T23:00:00Z',
        received_at: '2026-01-31T09:30:00.000Z',
        outcome: 'accepted',
        reason: null,
        notes: '',
        semantic: null,
        call: null,
        duplicate_of: null,
        context: '{"ip":"1.2.3.4"}',
        body: JSON.stringify(call),
        bytes: JSON.stringify(call).length,
      },
    ])
  })

  it('accepts only POST and only the seven paths', covers('protocol/other-methods-and-paths'), async () => {
    const { fetch, store } = connected()
    const url = 'https://cdp.customer.io'
    const wrongMethod = await fetch(`${url}/v1/track`)
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST'])
    for (const path of ['/v1/unknown', '/track', '/v1/track/', '/v2/track']) {
      expect((await fetch(url + path, { method: 'POST', body: '{}' })).status).toBe(404)
    }
    expect(store.events()).toEqual([])
    expect(store.requests().map(({ status }) => status)).toEqual([405, 404, 404, 404, 404])
  })
})

describe('strict mode', () => {
  it.each(['0', 'true', 'True', '01', '"1"', '1.0', ''])('is not enabled by %j', covers('protocol/strict-mode'), async (value) => {
    const { send, store } = connected()
    expect(await send('track', {}, { 'x-strict-mode': value })).toEqual(ok)
    expect(store.requests()[0]?.strict).toBe(false)
  })
})

describe('the key', () => {
  const key = 'pipelines-emulator'

  it.each([
    ['', 'missing'],
    [`Bearer ${key}`, 'not Basic'],
    [key, 'not Basic'],
    ['Basic', 'not base64'],
    [`Basic ${key}:`, 'not base64'],
    [basic(key), 'no colon after the key'],
    [basic(`${key}:secret`), 'a password after the colon'],
    [basic('other:'), 'wrong key'],
    [basic(`${key} :`), 'wrong key'],
  ])(
    'refuses %j in strict mode, and drops events in permissive mode',
    covers('protocol/key', 'protocol/key-variants', 'strict/bad-key', 'strict/bad-key-text', 'permissive/bad-body-or-key'),
    async (authorization, verdict) => {
      const { fetch, store } = connected()
      const headers = authorization === '' ? {} : { authorization }
      const call = (mode: object) =>
        fetch('https://cdp.customer.io/v1/track', { method: 'POST', body: JSON.stringify(track), headers: { ...headers, ...mode } })
      const permissive = await call({})
      const strict = await call({ 'x-strict-mode': '1' })
      expect([permissive.status, await permissive.json()]).toEqual([200, {}])
      expect([strict.status, await strict.json()]).toEqual([401, { meta: { errors: ['unauthorized'] } }])
      const reason = `bad key: ${verdict}`
      expect(store.events()).toMatchObject([
        { outcome: 'dropped', reason, event: 'Signed Up' },
        { outcome: 'refused', reason },
      ])
      expect(store.requests()).toMatchObject([
        { key_ok: false, key_verdict: verdict },
        { key_ok: false, key_verdict: verdict },
      ])
    },
  )

  it('belongs to a source, whose messages other sources do not know', covers('protocol/sources'), async () => {
    const { strictly, store } = connected({ sources: { ada: 'k-ada' } })
    const call = { ...track, messageId: 'm-1' }
    const headers = { authorization: basic('k-ada:') }
    expect([await strictly('track', call), await strictly('track', call, headers), await strictly('track', call, headers)]).toEqual([
      ok,
      ok,
      ok,
    ])
    expect(store.events().map(({ source, outcome, duplicate_of }) => [source, outcome, duplicate_of])).toEqual([
      ['default', 'accepted', null],
      ['ada', 'accepted', null],
      ['ada', 'duplicate', 2],
    ])
    expect(store.requests().map(({ source }) => source)).toEqual(['default', 'ada', 'ada'])
    expect(JSON.stringify([store.events(), store.requests()])).not.toContain('k-ada')
  })

  it('can be configured, and is never stored', async () => {
    const { strictly, store } = connected({ apiKey: 'mine-alone' })
    const authorization = basic('mine-alone:')
    expect(await strictly('track', track, { authorization })).toEqual(ok)
    expect((await strictly('track', track)).status).toBe(401)
    expect(JSON.stringify([store.events(), store.requests()])).not.toMatch(/mine-alone|bWluZS1hbG9uZ/)
  })
})

describe('bodies', () => {
  const gzip = { 'content-encoding': 'gzip' }

  it.each([
    ['not JSON', 'the body is not JSON', {}],
    ['', 'the body is not JSON', {}],
    ['\uFEFF{"userId":"u1","event":"x"}', 'the body is not JSON', {}],
    ['[]', 'the body must be an object, got an array', {}],
    ['null', 'the body must be an object, got null', {}],
    ['"text"', 'the body must be an object, got text', {}],
    [new Uint8Array([0x22, 0xff, 0x22]), 'the body is not UTF-8', {}],
    ['{}', 'the body is not valid gzip', gzip],
    ['{}', 'the content encoding is neither gzip nor identity', { 'content-encoding': 'br' }],
    [gzipSync('not JSON'), 'the body is not JSON', gzip],
  ])('%j is bad: %s', covers('strict/bad-body-text', 'protocol/content-encoding'), async (body, reason, headers) => {
    const { send, strictly, store } = connected()
    expect(await send('track', body, headers)).toEqual(ok)
    expect(await strictly('track', body, headers)).toEqual({ status: 400, answer: { meta: { errors: [reason] } } })
    expect(store.events()).toMatchObject([
      { type: 'track', outcome: 'dropped', reason },
      { type: 'track', outcome: 'refused', reason },
    ])
  })

  it(
    'may be gzip and of any content type; both lengths are stored',
    covers('protocol/content-type', 'protocol/content-encoding'),
    async () => {
      const { send, store } = connected()
      const text = JSON.stringify({ ...track, properties: { filler: 'x'.repeat(2000) } })
      const packed = gzipSync(text)
      await send('track', packed, { ...gzip, 'content-type': 'application/x-www-form-urlencoded' })
      expect(store.events()).toMatchObject([{ outcome: 'accepted', body: text, bytes: text.length }])
      const [request] = store.requests()
      expect([request?.bytes, request?.body, Buffer.from(request?.raw ?? [])]).toEqual([packed.byteLength, text, packed])
    },
  )

  it('are stored exactly as they were written', async () => {
    const { send, store } = connected()
    const text = '{ "userId":"u1",\n "event":"\\u0041é",  "properties":{"big":12345678901234567890,"one":1.0} }'
    await send('track', text)
    expect(store.events()).toMatchObject([{ body: text, bytes: Buffer.byteLength(text), event: 'Aé' }])
  })

  it.each([
    [0, 'accepted'],
    [1, 'dropped'],
  ])('of 32 KB and %i bytes are %s', covers('limits/kilobyte', 'permissive/too-large', 'strict/too-large'), async (more, outcome) => {
    const { send, strictly, store } = connected()
    const bare = JSON.stringify({ ...track, properties: { filler: '' } })
    const call = {
      ...track,
      properties: { filler: 'é'.repeat((32 * 1024 - bare.length) / 2) + 'x'.repeat(((32 * 1024 - bare.length) % 2) + more) },
    }
    expect(await send('track', call)).toEqual(ok)
    expect(store.events()).toMatchObject([{ outcome, bytes: 32 * 1024 + more }])
    expect((await strictly('track', call)).status).toBe(more === 0 ? 200 : 400)
  })

  it('cannot fill the memory', async () => {
    const { send, store } = connected()
    await send('track', gzipSync(Buffer.alloc(17 * 1024 * 1024)), gzip)
    expect(store.events()).toMatchObject([{ outcome: 'dropped', reason: 'the body is not valid gzip' }])
  })
})

it('accepts requests one after another without a rate limit', covers('protocol/rate-limit'), async () => {
  const { send } = connected()
  for (let requests = 0; requests < 50; requests += 1) expect(await send('track', track)).toEqual(ok)
})
