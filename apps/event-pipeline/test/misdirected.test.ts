import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { endpoints, execution, pipeline } from './pipeline.ts'

type Call = Exclude<(typeof endpoints)[number]['call'], 'batch'>
const tools = new Map(endpoints.map(({ call, tool }) => [call, tool]))
const batchTool = 'EventPipelineApi_SendBatchRequests'

const email = { traits: { email: 'ada@example.com' } }
const event = { event: 'E' }

/** Calls that the vendor would process for a different person or for no one, each with the call that was meant. */
const misdirected: readonly (readonly [Call, Record<string, unknown>, Record<string, unknown>])[] = [
  ['identify', { user_id: 'ada', ...email }, { userId: 'ada', ...email }],
  ['identify', { userId: null, user_id: 'ada', ...email }, { userId: 'ada', ...email }],
  ['identify', { id: 'ada', ...email }, { userId: 'ada', ...email }],
  ['identify', { customer_id: 7, anonymousId: 'a', ...email }, { userId: '7', anonymousId: 'a', ...email }],
  ['identify', { user: { id: 'ada', plan: 'pro' }, ...email }, { userId: 'ada', traits: { plan: 'pro', email: 'ada@example.com' } }],
  ['track', { anonymousId: 'a', user_id: 'ada', ...event }, { anonymousId: 'a', userId: 'ada', ...event }],
  ['track', { userId: 'ada', anonymous_id: 'a', ...event }, { userId: 'ada', anonymousId: 'a', ...event }],
  ['track', { groupId: 'acme', person: { id: 'ada' }, ...event }, { groupId: 'acme', userId: 'ada', ...event }],
  ['page', { anonymousId: 'a', UserID: 'ada' }, { anonymousId: 'a', userId: 'ada' }],
  ['screen', { anonymousId: 'a', uid: 'ada' }, { anonymousId: 'a', userId: 'ada' }],
  ['group', { groupId: 'acme', user_id: 'ada' }, { groupId: 'acme', userId: 'ada' }],
  ['group', { groupId: 'acme', customer: { id: 'ada' } }, { groupId: 'acme', userId: 'ada' }],
  ['group', { groupId: { id: 'acme', type: 'company' }, userId: 'ada' }, { groupId: 'acme', userId: 'ada', traits: { type: 'company' } }],
  ['identify', { userId: { id: 'ada' } }, { userId: 'ada' }],
]

test.for(misdirected)('%s %j is refused, alone and in a batch, and the next step contains the id', async ([call, body, meant]) => {
  await using server = await pipeline()
  const forms = [
    [tools.get(call) ?? '', body, meant],
    [
      batchTool,
      {
        batch: [
          { type: 'page', userId: 'u1' },
          { type: call, ...body },
        ],
      },
      { batch: [{}, { type: call, ...meant }] },
    ],
  ] as const
  for (const [tool, written, expected] of forms) {
    const error = await server.fails(tool, execution(written))
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false })
    expect(server.emulator.store.events()).toEqual([])
    const corrected = error.next?.change?.['request_body']
    const parsed = parseJson(String(corrected))
    expect(parsed).toMatchObject(expected)
    if (!isObject(written['batch'])) expect(Object.keys(isObject(parsed) ? parsed : {}).length).toBe(Object.keys(expected).length)
  }
  const { next } = await server.fails(tools.get(call) ?? '', execution(body))
  const args = { mode: 'execute', request_body: next?.change?.['request_body'] }
  expect(await server.call(tools.get(call) ?? '', args)).toMatchObject({ outcome: 'delivered' })
})

const unsure: readonly (readonly [Call, Record<string, unknown>])[] = [
  ['identify', { userId: 'ada', user_id: 'ben', ...email }],
  ['identify', { id: 'ada', customer_id: 'ben', ...email }],
  ['identify', { external_id: 'ada', ...email }],
  ['track', { userId: 'ada', 'User ID': 'ben', ...event }],
  ['track', { anonymousId: 'a', user_id: 'ada', uid: 'ben', ...event }],
  ['track', { anonymousId: 'a', user: { id: 'ada', plan: 'pro' }, ...event }],
  ['group', { userId: 'ada', groupId: 'acme', group_id: 'other' }],
  ['alias', { userId: 'ada', user_id: 'ben', previousId: 'a' }],
]

test.for(unsure)('%s %j is refused without a correction, alone and in a batch', async ([call, body]) => {
  await using server = await pipeline()
  const alone = await server.fails(tools.get(call) ?? '', execution(body))
  const batched = await server.fails(batchTool, execution({ batch: [{ type: call, ...body }] }))
  for (const error of [alone, batched]) {
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error).not.toHaveProperty('next')
  }
  expect(server.emulator.store.requests()).toEqual([])
})

test.for([
  ['identify', { userId: 'ada', user_id: 'ada', ...email }],
  ['identify', { userId: 'ada', customer_id: 'c7', ...email }],
  ['track', { userId: 'ada', customer: { id: 'c7' }, ...event }],
  ['track', { anonymousId: 'a', id: 'e7', ...event }],
] as const)('%s %j is sent: it has its id', async ([call, body]) => {
  await using server = await pipeline()
  expect(await server.call(tools.get(call) ?? '', execution(body))).toMatchObject({ outcome: 'delivered', findings: [{}] })
})

test.for([
  ['group', { userId: 'ada', groupId: {} }, 'groupId'],
  ['track', { userId: {}, ...event }, 'userId'],
] as const)('%s %j has one finding for its one fault', async ([call, body, at]) => {
  await using server = await pipeline()
  const result = await server.call(tools.get(call) ?? '', execution(body))
  expect(result).toMatchObject({ outcome: 'dropped', findings: [{ at }] })
  expect(result['findings']).toHaveLength(1)
})

const good = { type: 'page', userId: 'u1' }

test.for(['trak', 'Tracks', 'TRAK', 'trackk'])('a batch with the type %s is refused, and the next step corrects it', async (type) => {
  await using server = await pipeline()
  const item = { userId: 'ada', ...event }
  for (const batch of [[{ type, ...item }], [good, { type, ...item }]]) {
    const error = await server.fails(batchTool, execution({ batch }))
    const corrected = parseJson(String(error.next?.change?.['request_body']))
    expect(corrected).toEqual({ batch: [...batch.slice(0, -1), { type: 'track', ...item }] })
  }
  expect(server.emulator.store.requests()).toEqual([])
})

test.for([
  ['event', 'track', event],
  ['user', 'identify', { traits: { plan: 'pro' } }],
  ['company', 'group', { groupId: 'acme' }],
  ['user', 'identify', event],
] as const)('an item of type %s gets %s and is not left out: %j', async ([type, meant, rest]) => {
  await using server = await pipeline()
  const item = { userId: 'ada', ...rest }
  const error = await server.fails(batchTool, execution({ batch: [{ type, ...item }] }))
  expect(error.message).not.toContain('left out')
  const isGuess = meant === 'identify' && 'event' in rest
  const body = isGuess ? error.suggestions?.[0]?.value : error.next?.change?.['request_body']
  expect(parseJson(String(body))).toEqual({ batch: [{ type: meant, ...item }] })
})

test.for([JSON.stringify, (item: object) => JSON.stringify(item).replaceAll('"', "'")])(
  'calls given as text are not dropped from a batch, and the next step contains them as objects (%s)',
  async (write) => {
    await using server = await pipeline()
    const item = { type: 'track', userId: 'ada', ...event }
    const error = await server.fails(batchTool, execution({ batch: [good, write(item)] }))
    expect(parseJson(String(error.next?.change?.['request_body']))).toEqual({ batch: [good, item] })
    expect(server.emulator.store.requests()).toEqual([])
  },
)
