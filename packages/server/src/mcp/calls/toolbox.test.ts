import { NotFound } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { toolkit, type Effect } from '@mcp-toolkits/core/tool'
import { createTransport, type Fetch, memoryLimits } from '@mcp-toolkits/core/upstream'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { describeTool } from '../../../test/describe.ts'
import { defineServer } from '../../index.ts'
import { jsonLog } from '../log.ts'
import { openToolbox } from './toolbox.ts'
import { acmeServer, connecting } from '../../../test/acme.ts'

type Get = (path: string) => Promise<string>
type Run = (get: Get, progress: (done: number) => void, clock: ManualClock) => Promise<unknown>

const second = 1_000

/** Makes one call to a server whose vendor answers with `respond`; `sent` has the requested paths. */
function openCall(respond: (path: string) => Promise<Response>, run: Run, effect: Effect = 'read') {
  const clock = new ManualClock({ skipSleeps: false })
  const sent: string[] = []
  const signals: AbortSignal[] = []
  const fetch: Fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    sent.push(pathname)
    if (init?.signal) signals.push(init.signal)
    return respond(pathname)
  }
  const transport = createTransport({ fetch, vendor: 'Acme', limits: memoryLimits(clock) })
  const read = ({ status, text }: { status: number; text: string }) => {
    if (status === 404) throw new NotFound('Acme has none.')
    return text
  }
  const spec = {
    name: 'Work',
    title: 'Work',
    description: 'Works.',
    effect,
    scopes: [],
    input: z.strictObject({}),
    output: z.object({}),
    example: {},
  }
  const tool = toolkit<object, never>()({
    ...spec,
    async run(_, __, { scope, progress }) {
      const get: Get = (path) => transport.send({ url: `http://acme.example${path}`, method: 'GET' }, read, scope)
      await run(get, progress, clock)
      return {}
    },
  })
  const definition = defineServer<object>({
    ...acmeServer,
    listedTools: [describeTool(tool)],
    upstream: () => ({ kind: 'vendor', url: 'http://acme.example' }),
    load: { tools: () => Promise.resolve([tool]), connector: connecting({}) },
  })
  const settings = { embedded: false, dataDirectory: '/nowhere', readOnly: false, toolNames: 'safe', environment: {} } as const
  const toolbox = openToolbox(definition, settings, { log: jsonLog('silent', () => undefined), clock })
  const listed = toolbox.listing.find('Acme.Work')
  if (!listed) throw new Error('The tool is not listed.')
  const call = (signal = new AbortController().signal) => toolbox.invoke(listed, {}, { signal })
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) await clock.advance(500)
  }
  return { clock, sent, signals, call, pass }
}

const never = () => new Promise<never>(() => undefined)
const respond = (path: string) => {
  if (path === '/hanging') return never()
  return Promise.resolve(new Response('x', { status: path === '/missing' ? 404 : path === '/busy' ? 503 : 200 }))
}

it('ends the other requests of a call when one of them fails, and sends no more', async () => {
  const { sent, signals, call, pass, clock } = openCall(respond, async (get) =>
    Promise.all([
      get('/missing'),
      get('/hanging'),
      get('/busy'),
      get('/first')
        .then(() => clock.sleep(second))
        .then(() => get('/later')),
    ]),
  )
  expect(await call()).toMatchObject({ ok: false, error: { code: 'not_found' } })
  const answered = [...sent]
  expect(answered).toEqual(['/missing', '/hanging', '/busy', '/first'])
  expect(signals[answered.indexOf('/hanging')]?.aborted).toBe(true)
  await pass(60 * second)
  expect(sent).toEqual(answered)
})

it('ends the requests that a call leaves behind with a result', async () => {
  const { sent, signals, call, pass } = openCall(respond, async (get) => {
    void get('/hanging').catch(() => undefined)
    return get('/first')
  })
  expect(await call()).toMatchObject({ ok: true })
  expect(signals[0]?.aborted).toBe(true)
  await pass(60 * second)
  expect(sent).toEqual(['/hanging', '/first'])
})

it.each([
  [{}, { tool: 'Acme_Work', arguments: {} }],
  [{ text: 'x' }, { tool: 'Acme_Work' }],
])('advises a call with %j only if its tool takes these arguments', async (args, next) => {
  const step = { tool: 'Acme.Work', arguments: args }
  const { call } = openCall(respond, () => Promise.reject(new NotFound('No.', { next: step })))
  expect(await call()).toMatchObject({ error: { next } })
  expect(JSON.stringify(await call()).includes('arguments')).toBe('arguments' in next)
})

it.each([
  ['read', 'The call took too long and was stopped. Make it again.'],
  [
    'create',
    'The call took too long and was stopped. It may have taken effect. Make the identical call again within ten minutes: nothing is created twice.',
  ],
] as const)('answers a %s that ignores its deadline within 30 seconds', async (effect, message) => {
  const { call, pass, clock } = openCall(respond, never, effect)
  let endedAt = Infinity
  const answer = call().finally(() => {
    endedAt = clock.monotonic()
  })
  await pass(30 * second)
  expect(await answer).toEqual({ ok: false, error: { code: 'unavailable', message, retryable: true } })
  expect(endedAt).toBeLessThan(30 * second)
})

it('gives work that reports progress more time', async () => {
  const { call, pass } = openCall(respond, async (get, progress, clock) => {
    for (let step = 0; step < 5; step += 1) {
      await clock.sleep(20 * second)
      progress(step)
    }
    return get('/first')
  })
  const answer = call()
  await pass(101 * second)
  expect(await answer).toMatchObject({ ok: true })
})

it('ends at once with the reason of a caller who gives up', async () => {
  const controller = new AbortController()
  const { call, signals, clock } = openCall(respond, (get) => get('/hanging'))
  const answer = call(controller.signal)
  await clock.advance(0)
  await expect.poll(() => signals.length).toBe(1)
  const reason = new Error('gone')
  controller.abort(reason)
  await expect(answer).rejects.toBe(reason)
  expect(signals[0]?.aborted).toBe(true)
})
