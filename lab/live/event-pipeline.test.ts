import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { accepted, missingKey, openSource, otherRegion, strangerAt, type Source } from './pipelines.ts'
import { questionnaire } from './questions.ts'

const environment = process.env
const missing = missingKey(environment)
const question = questionnaire({ server: 'event-pipeline', environment, missing })

/** An event that creates no person. */
const trackOf = ({ named }: Source, purpose: string) => ({ anonymousId: named(purpose), event: named(purpose), messageId: named(purpose) })

/** A call as JSON of exactly this many bytes. */
function sized(call: object, bytes: number): string {
  const bare = JSON.stringify({ ...call, properties: { padding: '' } })
  return JSON.stringify({ ...call, properties: { padding: 'x'.repeat(bytes - Buffer.byteLength(bare)) } })
}

/** A batch of exactly this many bytes; none of its twenty calls is near the limit of a call. */
function sizedBatch(call: object, bytes: number): string {
  const calls = 20
  const around = Buffer.byteLength('{"batch":[]}') + calls - 1
  const each = Math.floor((bytes - around) / calls)
  const last = bytes - around - each * (calls - 1)
  const all = Array.from({ length: calls }, (_, index) => sized({ ...call, type: 'track' }, index === calls - 1 ? last : each))
  return `{"batch":[${all.join(',')}]}`
}

const texts: unknown = expect.arrayContaining([expect.any(String)])

/** Strict mode's refusal. */
const refused = (status: number) => ({ status, body: { meta: { errors: texts } } })

question(
  {
    number: 1,
    rules: ['strict/bad-body-text'],
    question: 'What is the body of a 400 response in strict mode?',
    emulator: '{"meta":{"errors":[…]}}, a list of texts',
  },
  async () => {
    const { send, named } = openSource(environment)
    expect(await send('track', { anonymousId: named('1') })).toEqual(refused(400))
  },
)

question(
  {
    number: 2,
    rules: ['strict/bad-key-text'],
    question: 'What is the body of a 401 response in strict mode?',
    emulator: 'the same as of a 400',
  },
  async () => {
    const source = openSource(environment)
    expect(await source.send('track', trackOf(source, '2'), { to: strangerAt(source.account) })).toEqual(refused(401))
  },
)

question(
  {
    number: 3,
    rules: ['strict/bad-key'],
    question: 'Does a key from the other region get a 401, a redirect or a 200?',
    emulator: 'it is like any wrong key: 401 in strict mode, 200 in permissive mode',
  },
  async (context) => {
    const source = openSource(environment)
    const to = otherRegion(environment)
    context.skip(to === undefined, 'Set LIVE_OTHER_REGION_URL too, as EVENT_PIPELINE_API_URL is set.')
    if (to === undefined) return
    expect(await source.send('track', trackOf(source, '3'), { to })).toMatchObject({ status: 401 })
    expect(await source.send('track', trackOf(source, '3'), { to, strict: false })).toEqual(accepted)
  },
)

/** A good call and one without its event, and the number of each that have arrived. */
async function halfGood(source: Source, purpose: string) {
  const [good, bad] = [source.named(`${purpose}-good`), source.named(`${purpose}-bad`)]
  const anonymousId = source.named(purpose)
  const batch = [
    { type: 'track', anonymousId, event: good, messageId: good },
    { type: 'track', anonymousId, messageId: bad },
  ]
  const answered = await source.send('batch', { batch }, { strict: purpose === 'strict' })
  const arrived = await source.arrived(good, bad)
  return { answered, arrived: arrived.map(({ messageId }) => (messageId === good ? 'good' : 'bad')) }
}

question(
  {
    number: 4,
    rules: ['strict/bad-item'],
    question: 'In strict mode, is a batch all or nothing?',
    emulator: 'yes: 400, and not even the good call arrives',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    expect(await halfGood(source, 'strict')).toEqual({ answered: refused(400), arrived: [] })
  },
)

question(
  {
    number: 5,
    rules: ['permissive/bad-item'],
    question: 'In permissive mode, are the valid calls in a partly invalid batch kept?',
    emulator: 'yes: 200, the good call arrives and the bad one does not',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    expect(await halfGood(source, 'permissive')).toEqual({ answered: accepted, arrived: ['good'] })
  },
)

question(
  {
    number: 6,
    rules: ['strict/too-large'],
    question: 'How does strict mode respond to a call over 32 KB, and a batch over 500 KB?',
    emulator: '400, where a KB is 1,024 bytes; what has just that length still passes',
  },
  async () => {
    const source = openSource(environment)
    const call = { anonymousId: source.named('6'), event: source.named('6') }
    const statuses: [number, number][] = []
    for (const bytes of [32_001, 32_768, 32_769, 40_000]) statuses.push([bytes, (await source.send('track', sized(call, bytes))).status])
    for (const bytes of [500_001, 512_000, 512_001]) statuses.push([bytes, (await source.send('batch', sizedBatch(call, bytes))).status])
    expect(statuses).toEqual([
      [32_001, 200],
      [32_768, 200],
      [32_769, 400],
      [40_000, 400],
      [500_001, 200],
      [512_000, 200],
      [512_001, 400],
    ])
  },
)

question(
  {
    number: 7,
    rules: ['messages/duplicate', 'messages/not-accepted'],
    question: 'Is a repeated `messageId` deduplicated? If so, for how long, and must the body be the same?',
    emulator: 'it counts once, without end, and the body does not matter',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const [same, other] = [trackOf(source, '7-same'), trackOf(source, '7-other')]
    for (const call of [same, same, other, { ...other, properties: { second: true } }])
      expect(await source.send('track', call)).toEqual(accepted)
    const arrived = await source.arrived(same.messageId, other.messageId)
    expect(arrived.map(({ messageId }) => messageId)).toEqual([same.messageId, other.messageId])
    expect(arrived[1]).not.toMatchObject({ properties: { second: true } })
  },
)

question({ number: 8, rules: ['fields/number-ids'], question: 'Does strict mode accept numeric ids?', emulator: 'yes: 200' }, async () => {
  const { send, named, forget } = openSource(environment)
  // Larger than any real id.
  const userId = Date.now() * 1000
  forget(String(userId))
  expect(await send('track', { userId, event: named('8') })).toEqual(accepted)
})

question(
  {
    number: 9,
    rules: ['protocol/rate-limit'],
    question: 'Is there a rate limit that returns 429 with `Retry-After`?',
    emulator: 'no: the limit of 3,000 requests in three seconds is not enforced',
  },
  async (context) => {
    const { send, named } = openSource(environment)
    const [wanted, abreast, limit] = [3200, 300, 1000]
    const statuses = new Set<number>()
    const waits = new Set<string>()
    let sent = 0
    const started = performance.now()
    const sender = async () => {
      while (sent < wanted) {
        sent += 1
        // The call lacks a field, so it is refused and leaves nothing behind.
        const { status, retryAfter } = await send('track', { anonymousId: named('9') })
        statuses.add(status)
        if (retryAfter !== undefined) waits.add(retryAfter)
      }
    }
    await Promise.all(Array.from({ length: abreast }, sender))
    const perSecond = Math.round((wanted / (performance.now() - started)) * 1000)
    expect({ statuses: [...statuses], retryAfter: [...waits] }).toEqual({ statuses: [400], retryAfter: [] })
    context.skip(perSecond <= limit, `${perSecond} requests in a second are within the limit: ask from a faster machine.`)
  },
)

question(
  {
    number: 10,
    rules: ['protocol/content-encoding'],
    question: 'Are bodies compressed with gzip accepted?',
    emulator: 'yes: 200, and the calls arrive',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const call = trackOf(source, '10')
    const body = new Uint8Array(gzipSync(JSON.stringify({ batch: [{ ...call, type: 'track' }] })))
    expect(await source.send('batch', body, { headers: { 'content-encoding': 'gzip' } })).toEqual(accepted)
    expect(await source.arrived(call.messageId)).toHaveLength(1)
  },
)

question(
  { number: 11, rules: ['batch/order'], question: 'Are the calls in a batch processed in order?', emulator: 'yes' },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const [previousId, userId] = [source.person('11-before'), source.person('11')]
    const [alias, identify] = [source.named('11-alias'), source.named('11-identify')]
    const batch = [
      { type: 'alias', previousId, userId, messageId: alias },
      { type: 'identify', userId, messageId: identify, traits: { plan: 'test' } },
    ]
    expect(await source.send('batch', { batch })).toEqual(accepted)
    expect((await source.arrived(alias, identify)).map(({ messageId }) => messageId)).toEqual([alias, identify])
  },
)

question(
  {
    number: 12,
    rules: ['identify/anonymous-status'],
    question: 'In strict mode, does an identify call without a `userId` get a 200?',
    emulator: 'yes',
  },
  async () => {
    const { send, named } = openSource(environment)
    expect(await send('identify', { anonymousId: named('12'), traits: { plan: 'test' } })).toEqual(accepted)
  },
)

question(
  {
    number: 13,
    rules: ['identify/needs'],
    question: 'Does `traits.email` alone identify a person?',
    emulator: 'an identify call without ids is accepted and arrives',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const email = `${source.named('13')}@example.com`
    source.forget(email)
    const messageId = source.named('13')
    expect(await source.send('identify', { traits: { email }, messageId })).toEqual(accepted)
    expect(await source.arrived(messageId)).toMatchObject([{ traits: { email } }])
  },
)

question(
  {
    number: 14,
    rules: ['fields/timestamps'],
    question: "Is an hour-old `timestamp` kept as the event's time?",
    emulator: 'yes: the event arrives with the time that it was sent with',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const anHourAgo = new Date(Date.now() - 3_600_000)
    const call = { ...trackOf(source, '14'), timestamp: anHourAgo.toISOString() }
    expect(await source.send('track', call)).toEqual(accepted)
    const arrived = await source.arrived(call.messageId)
    expect(arrived.map(({ timestamp }) => new Date(String(timestamp)))).toEqual([anHourAgo])
  },
)

question(
  {
    number: 15,
    rules: ['track/semantic-events'],
    question: 'What response do reserved event names get, and do they take effect?',
    emulator: '200 to each, and each arrives like any other event; it acts on nothing',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const userId = source.person('15')
    const device = { device: { token: source.named('15-device'), type: 'ios' } }
    expect(await source.send('identify', { userId })).toEqual(accepted)
    const reserved = [
      { event: 'Device Created or Updated', userId, context: device },
      { event: 'Device Deleted', userId, context: device },
      { event: 'Relationship Deleted', userId, properties: { objectId: source.named('15-object'), objectTypeId: 1 } },
      { event: 'Object Deleted', anonymousId: userId, properties: { objectId: source.named('15-object'), objectTypeId: 1 } },
      { event: 'Report Delivery Event', userId, properties: { deliveryId: source.named('15'), metric: 'opened' } },
      { event: 'Report Content Event', anonymousId: userId, properties: { actionType: 'viewed_content', contentId: source.named('15') } },
      { event: 'User Suppressed', userId },
      { event: 'User Unsuppressed', userId },
      { event: 'User Deleted', userId },
    ].map((call, index) => ({ ...call, messageId: source.named(`15-${index}`) }))
    for (const call of reserved) expect(await source.send('track', call), call.event).toEqual(accepted)
    const arrived = await source.arrived(...reserved.map(({ messageId }) => messageId))
    expect(arrived.map(({ event }) => event)).toEqual(reserved.map(({ event }) => event))
  },
)

question({ number: 16, rules: ['fields/unknown'], question: 'Does strict mode accept unknown fields?', emulator: 'yes' }, async () => {
  const source = openSource(environment)
  expect(await source.send('track', { ...trackOf(source, '16'), channel: 'server' })).toEqual(accepted)
})

question(
  {
    number: 17,
    rules: ['batch/count'],
    question: 'Does a batch of 3,000 small calls arrive in strict mode?',
    emulator: 'yes; the reference limits its bytes alone',
  },
  async (context) => {
    const source = openSource(environment)
    source.needsLook(context)
    const batch = Array.from({ length: 3_000 }, (_, index) => ({ type: 'track', ...trackOf(source, `17-${index}`) }))
    expect(await source.send('batch', { batch })).toEqual(accepted)
    const [first, last] = [source.named('17-0'), source.named('17-2999')]
    expect(await source.arrived(first, last)).toHaveLength(2)
  },
)
