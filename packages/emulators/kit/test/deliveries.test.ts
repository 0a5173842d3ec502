import { openStore } from '@mcp-toolkits/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSnapshots } from '../src/standalone/snapshots.ts'
import { openReceiver } from '../src/testing.ts'
import { hostProblem, isDeliverable, openDeliveries } from '../src/webhooks.ts'

/** A receiver that returns these statuses in turn, and then keeps returning the last one. */
async function receiver(...statuses: readonly number[]) {
  const opened = await openReceiver((index) => statuses[index] ?? statuses.at(-1) ?? 200)
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return opened
}

/** Deliveries without any waiting; `slept` records the delays. */
function delivering(hosts: readonly string[] = []) {
  const store = openStore({ file: ':memory:', migrations: [] })
  const slept: number[] = []
  const deliveries = openDeliveries({
    store,
    now: () => Date.parse('2026-09-16T12:00:00Z'),
    hosts,
    delays: [1_000, 2_000],
    isOpen: (subscription) => subscription !== 'closed',
    repeats: (status) => status === null || status >= 500,
    sleep(milliseconds) {
      slept.push(milliseconds)
      return Promise.resolve()
    },
  })
  onTestFinished(async () => {
    await deliveries.close()
    await store.close()
  })
  return { ...deliveries, slept, store }
}

const notification = { subscription: 'one', headers: { 'x-event': 'made', 'x-token': 'hush' }, body: '{"a":1}', secrets: ['X-Token'] }

describe('a delivery', () => {
  it('is logged with what was sent, except secrets', async () => {
    const { send, idle, list, slept } = delivering()
    const { url, received } = await receiver(204)
    send({ ...notification, address: url })
    await idle()
    expect(received).toMatchObject([{ headers: { 'x-event': 'made', 'x-token': 'hush' }, body: '{"a":1}' }])
    expect(list()).toEqual([
      {
        ...{ id: 1, at: '2026-09-16T12:00:00.000Z', subscription: 'one', address: url, attempt: 1, status: 204, problem: null },
        ...{ headers: '{"x-event":"made","x-token":"*"}', body: '{"a":1}' },
      },
    ])
    expect([list({ after: 1 }), slept]).toEqual([[], []])
  })

  it('is repeated in order until it is accepted or given up', async () => {
    const { send, idle, list, slept } = delivering()
    const { url, received } = await receiver(503, 200, 200, 500)
    send({ ...notification, address: url, body: 'first' })
    send({ ...notification, address: url, body: 'second' })
    send({ ...notification, address: url, body: 'third' })
    await idle()
    expect(received.map(({ body }) => body)).toEqual(['first', 'first', 'second', 'third', 'third', 'third'])
    expect(list().map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 200],
      [1, 200],
      [1, 500],
      [2, 500],
      [3, 500],
    ])
    expect(slept).toEqual([1_000, 1_000, 2_000])
  })

  it('is not repeated once its subscription is closed', async () => {
    const { send, idle, list } = delivering()
    const { url } = await receiver(503)
    send({ ...notification, subscription: 'closed', address: url })
    await idle()
    expect(list().map(({ attempt, status }) => [attempt, status])).toEqual([[1, 503]])
  })

  it('is repeated even if it cannot be logged', async () => {
    const { send, idle, store } = delivering()
    const { url, received } = await receiver(503, 200)
    await store.close()
    send({ ...notification, address: url, body: 'first' })
    send({ ...notification, address: url, body: 'second' })
    await idle()
    expect(received.map(({ body }) => body)).toEqual(['first', 'first', 'second'])
  })

  it('is logged outside of snapshots', async () => {
    const { send, idle, list, store } = delivering()
    const { url } = await receiver(200)
    store.script('create table notes (id integer primary key) strict')
    list()
    const { snapshot, restore, diff } = createSnapshots(store)
    snapshot('before')
    send({ ...notification, address: url })
    await idle()
    store.run('insert into notes values (1)')
    expect(Object.keys(diff('before'))).toEqual(['notes'])
    restore('before')
    expect([diff('before'), list().length]).toEqual([{}, 1])
  })

  it('leaves this machine only for an allowed host, and follows no redirect', async () => {
    const { send, idle, list } = delivering()
    const { url } = await receiver(302)
    for (const address of ['http://192.0.2.1/hook', 'http://127.0.0.1.example/', 'file:///etc/passwd', url])
      send({ ...notification, address })
    await idle()
    expect(list().map(({ status, attempt }) => [status, attempt])).toEqual([
      [null, 1],
      [null, 1],
      [null, 1],
      [302, 1],
    ])
    expect(list()[0]?.problem).toContain('start the emulator with --webhooks-to 192.0.2.1.')
    expect(isDeliverable('https://Hooks.example/x', ['hooks.example'])).toBe(true)
    expect(isDeliverable('https://hooks.example.org/x', ['hooks.example'])).toBe(false)
    for (const address of ['http://localhost:8080/', 'http://[::1]/', 'http://127.1/'])
      expect([address, isDeliverable(address, [])]).toEqual([address, true])
  })

  it('says why nothing answered', async () => {
    const { send, idle, list } = delivering()
    send({ ...notification, address: 'http://127.0.0.1:1/hook' })
    await idle()
    expect(list()).toHaveLength(3)
    expect([list()[0]?.status, list()[0]?.problem]).not.toContain(undefined)
    expect(list()[0]?.problem).toMatch(/./)
  })
})

describe('a host', () => {
  it.for([
    ['hooks.example', 'https://hooks.example/x', true],
    ['Hooks.Example', 'http://hooks.example:8080/x', true],
    ['hooks.example:443', 'https://hooks.example/x', true],
    ['hooks.example:443', 'http://hooks.example/x', false],
    ['hooks.example:8443', 'https://hooks.example:8443/x', true],
    ['b\u00fccher.example', 'https://xn--bcher-kva.example/', true],
    ['192.0.2.1:80', 'http://192.0.2.1/', true],
    ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080/', true],
  ] as const)('%s is taken, and %s is one of its addresses: %s', ([host, address, isAllowed]) => {
    expect([hostProblem(host), isDeliverable(address, [host])]).toEqual([undefined, isAllowed])
  })

  it.for([
    'https://hooks.example/hook',
    'hooks.example/hook',
    'hooks.example:',
    'hooks.example:99999',
    '*.example',
    'a b',
    'me@hooks.example',
  ])('%s is refused', (text) => {
    expect(hostProblem(text)).toBe(`${JSON.stringify(text)} is not a host. Give one such as hooks.example or hooks.example:8443.`)
  })
})
