import { describe, expect, it } from 'vitest'
import { actionOf, applyFault, createChaosPicker } from '../src/faults.ts'
import type { ChaosAction, FaultRule } from '../src/index.ts'
import { notesEmulator, post } from './notes.ts'

/** Two ways to reach the same emulator. */
const ways = {
  async 'in process'() {
    const emulator = notesEmulator()
    return Promise.resolve({ ...emulator, call: emulator.fetch, url: 'https://notes.example/notes' })
  },
  async 'over HTTP'() {
    const emulator = notesEmulator()
    const { url } = await emulator.listen()
    return { ...emulator, call: fetch, url: `${url}/notes` }
  },
}

it.each(['status_after_commit', 'drop_after'] as const)('%s frees what the response holds', async (kind) => {
  let isFreed = false
  const body = new ReadableStream({
    cancel() {
      isFreed = true
    },
  })
  const handle = () => Promise.resolve(new Response(body))
  await applyFault(actionOf(kind), handle, new AbortController().signal).catch(() => undefined)
  expect(isFreed).toBe(true)
})

describe.each(Object.entries(ways))('a fault %s', (_, connect) => {
  const withFault = async (action: FaultRule['action']) => {
    const connected = await connect()
    connected.faults.add({ action })
    return connected
  }

  it('responds without handling', async () => {
    const { call, url, store, close } = await withFault({
      kind: 'status',
      status: 429,
      retry_after: 1,
      headers: { 'x-a': 'b' },
      body: { a: 1 },
    })
    const response = await call(url, post('a'))
    expect([response.status, await response.json()]).toEqual([429, { a: 1 }])
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'retry-after': '1', 'x-a': 'b', 'content-type': 'application/json' })
    expect(store.notes()).toHaveLength(1)
    expect((await call(url, post('a'))).status).toBe(201)
    await close()
  })

  it('responds differently after handling', async () => {
    const { call, url, store, close } = await withFault({ kind: 'status_after_commit', status: 500, body: 'oops' })
    const response = await call(url, post('a'))
    expect([response.status, await response.text()]).toEqual([500, 'oops'])
    expect(store.notes()).toHaveLength(2)
    await close()
  })

  it('drops the connection before handling', async () => {
    const { call, url, store, close } = await withFault({ kind: 'drop_before' })
    await expect(call(url, post('a'))).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    expect(store.notes()).toHaveLength(1)
    expect(store.requests()).toMatchObject([{ fault: 'drop_before', status: null }])
    await close()
  })

  it('drops the connection after handling', async () => {
    const { call, url, store, close } = await withFault({ kind: 'drop_after' })
    await expect(call(url, post('a'))).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    expect(store.notes()).toHaveLength(2)
    await close()
  })

  it('responds late after handling at once', async () => {
    const { call, url, store, close } = await withFault({ kind: 'slow', milliseconds: 250 })
    const slow = call(url, post('slow')).then(({ status }) => ({ status, notes: store.notes().length }))
    while (store.notes().length < 2) await new Promise(setImmediate)
    await call(url, post('fast'))
    expect(await slow).toEqual({ status: 201, notes: 3 })
    await close()
  })

  it('never responds', async () => {
    const { call, url, store, close } = await withFault({ kind: 'hang' })
    const giveUp = new AbortController()
    const hanging = call(url, { ...post('a'), signal: giveUp.signal })
    while (store.requests().length === 0) await new Promise(setImmediate)
    giveUp.abort()
    await expect(hanging).rejects.toMatchObject({ name: 'AbortError' })
    expect(store.notes()).toHaveLength(1)
    await close()
  })

  it('redirects', async () => {
    const { call, url, close } = await withFault({ kind: 'redirect', status: 308, location: 'https://elsewhere.example/' })
    const response = await call(url, { ...post('a'), redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, 'https://elsewhere.example/'])
    await close()
  })
})

describe('rules', () => {
  it('apply to matching requests in order, as often as configured', async () => {
    const { fetch, faults } = notesEmulator()
    const answer = (status: number) => ({ kind: 'status', status }) as const
    faults.add({ match: { method: 'post', path: '/notes' }, action: answer(500) })
    faults.add({ match: { path: '/not*' }, times: 2, action: answer(502) })
    faults.add({ match: { path: '/other' }, action: answer(504) })
    const call = async (path: string, init?: RequestInit) => (await fetch(`https://notes.example${path}`, init)).status
    expect([await call('/notes'), await call('/notes', post('a')), await call('/notes', post('a'))]).toEqual([502, 500, 502])
    expect([await call('/notes'), await call('/otherwise'), await call('/other')]).toEqual([200, 404, 504])
    faults.add({ action: answer(500) })
    expect(faults.pending()).toHaveLength(1)
    faults.clear()
    expect([await call('/notes'), faults.pending()]).toEqual([200, []])
  })
})

describe('chaos', () => {
  const chaos: ChaosAction = { kind: 'chaos', seed: 7, rate: 0.5, kinds: ['drop_before', 'drop_after', { kind: 'status', status: 429 }] }

  it('depends only on seed, operation and attempt', () => {
    const draw = (seed: number, order: readonly string[]) => {
      const roll = createChaosPicker({ ...chaos, seed })
      const drawn: Record<string, unknown[]> = {}
      for (const operation of order) (drawn[operation] ??= []).push(roll(operation)?.kind)
      return drawn
    }
    const aThenB = [...Array<string>(40).fill('a'), ...Array<string>(40).fill('b')]
    const mixed = Array.from({ length: 80 }, (_, i) => (i % 2 === 0 ? 'b' : 'a'))
    expect(draw(7, mixed)).toEqual(draw(7, aThenB))
    expect(draw(8, mixed)).not.toEqual(draw(7, mixed))
    expect(new Set(draw(7, mixed)['a'])).toEqual(new Set(['drop_before', 'drop_after', 'status', undefined]))
  })

  it('fails at its configured rate', () => {
    const roll = createChaosPicker({ ...chaos, rate: 0.2, max_in_a_row: 100 })
    const faults = Array.from({ length: 5000 }, (_, i) => roll(`operation ${i}`)).filter((action) => action !== undefined)
    expect(faults.length).toBeGreaterThan(900)
    expect(faults.length).toBeLessThan(1100)
  })

  it.each([1, 2, 3])('lets an operation through after %i faults in a row', (max_in_a_row) => {
    const roll = createChaosPicker({ ...chaos, rate: 1, max_in_a_row })
    const drawn = Array.from({ length: 12 }, () => roll('a') !== undefined)
    expect(drawn).toEqual(Array.from({ length: 12 }, (_, i) => i % (max_in_a_row + 1) !== max_in_a_row))
  })

  it('counts attempts even if another rule applies', async () => {
    const { fetch, faults } = notesEmulator()
    const outcomes = async () => {
      const results: (number | string)[] = []
      for (let i = 0; i < 8; i += 1) {
        const answer = fetch('https://notes.example/notes', post('a', { 'x-operation': 'op' }))
        results.push(
          await answer.then(
            ({ status }) => status,
            (error: unknown) => String(error),
          ),
        )
      }
      return results
    }
    faults.add({ action: chaos })
    const without = await outcomes()
    faults.clear()
    faults.add({ action: { kind: 'status', status: 418 } })
    faults.add({ action: chaos })
    expect(await outcomes()).toEqual([418, ...without.slice(1)])
  })
})
