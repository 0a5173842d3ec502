import path from 'node:path'
import { temporaryFile } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pipelinesEmulator, type PipelinesEmulatorOptions, readSeed } from '../src/index.ts'

const sample = path.join(import.meta.dirname, '../../../../docs/emulators/samples/pipelines.yaml')
const start = Date.parse('2026-09-16T00:05:00Z')

function open(options: PipelinesEmulatorOptions = {}) {
  const emulator = pipelinesEmulator({ now: () => start, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

describe('the company', () => {
  const events = () => open().store.events()

  it('is what a new database contains, and all of it is accepted without a note', () => {
    const all = events()
    expect(open({ seed: 'company' }).store.events()).toEqual(all)
    expect(all.length).toBeGreaterThanOrEqual(400)
    expect(all.length).toBeLessThanOrEqual(800)
    expect(all.filter(({ outcome, notes }) => outcome !== 'accepted' || notes !== '')).toEqual([])
  })

  it('is about people who have signed up, in the order of time', () => {
    const all = events()
    const known = new Set(all.filter(({ type }) => type === 'identify').map(({ user_id: id }) => id))
    expect(known.size).toBe(25)
    expect(all.filter(({ user_id: id }) => id !== null && !known.has(id))).toEqual([])
    expect(new Set(all.map(({ user_id: id }) => id)).size).toBe(known.size + 1)
    const times = all.map(({ received_at: at }) => at)
    expect(times).toEqual(times.toSorted())
    const identified = new Map<string, number>()
    for (const { id, type, user_id: user } of all)
      if (type === 'identify' && user !== null && !identified.has(user)) identified.set(user, id)
    const early = all.filter(({ id, type, user_id: user }) => type === 'track' && user !== null && id < (identified.get(user) ?? Infinity))
    expect(early.map(({ event }) => event)).toEqual([])
  })

  it('fails to sync only during the outage, and then for every team', () => {
    const failed = events().filter(({ event }) => event === 'Map Sync Failed')
    expect(failed.length).toBeGreaterThan(30)
    const odd = failed.filter(({ received_at: at }) => at < '2026-09-07T09:12:00.000Z' || at > '2026-09-07T11:52:00.000Z')
    expect(odd).toEqual([])
  })

  it('counts the conflicts that the decision about routes counts', () => {
    const conflicts = events().filter(({ event }) => event === 'Route Conflict Found')
    const ofAlpenpass = ['lena.hofer', 'jonas.pichler', 'felix.gruber']
    expect([conflicts.length, conflicts.filter(({ user_id: id }) => ofAlpenpass.includes(id ?? '')).length]).toEqual([11, 5])
  })

  it('ends for those who have left', () => {
    const left = ['dana.whitfield', 'marcus.bell', 'owen.price']
    const last = left.map((id) => events().findLast(({ user_id: user }) => user === id)?.event)
    expect(last.toSorted()).toEqual(['Account Deleted', 'Subscription Cancelled', 'Subscription Cancelled'])
  })

  it('has the same messages whenever it is loaded', () => {
    const ids = (now: number) =>
      open({ now: () => now })
        .store.events()
        .map(({ message_id: id }) => id)
    expect(ids(start + 86_400_000 * 500)).toEqual(ids(start))
  })
})

describe('the edge cases', () => {
  it('have every outcome', () => {
    const outcomes = open({ seed: 'edge-cases' })
      .store.events()
      .map(({ outcome }) => outcome)
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'dropped', 'duplicate']))
  })
})

describe('a seed file', () => {
  it('is stored as though it had been received, with what the vendor would drop', async () => {
    const { store } = open({ seed: await readSeed(sample) })
    expect(store.events().map(({ type, outcome, reason, received_at: at, user_id: id }) => [type, outcome, reason, at, id])).toEqual([
      ['identify', 'accepted', null, '2026-09-13T00:05:00.000Z', 'anna'],
      ['track', 'accepted', null, '2026-09-13T12:05:00.000Z', 'anna'],
      ['track', 'dropped', 'event is required', '2026-09-15T00:05:00.000Z', 'anna'],
    ])
    expect(JSON.parse(store.events()[1]?.body ?? '')).toEqual({
      messageId: 'seed-2',
      timestamp: '2026-09-13T12:05:00.000Z',
      userId: 'anna',
      event: 'Bread Ordered',
      properties: { bread: 'rye', loaves: 2 },
    })
  })

  it.for([
    ['another type', 'calls:\n- type: buy\n  at: 1', 'line 2: calls[0].type: Invalid option: expected one of "identify"|"track"'],
    ['no time', 'calls:\n- type: track', 'line 2: calls[0].at: Invalid input'],
    ['a time that is none', 'calls:\n- {type: track, at: soon}', 'line 2: calls[0].at: "soon" is neither'],
    [
      'a time in the future',
      'calls:\n- {type: track, at: 1}\n- {type: track, at: -1}',
      'line 3: calls[1].at: a call cannot have been received in the future.',
    ],
  ] as const)('with %s says where and what', async ([, text, message]) => {
    using file = temporaryFile('seed.yaml', text)
    await expect(readSeed(file.file)).rejects.toThrow(message)
  })
})

describe('a database that has data', () => {
  it('keeps it, and says that the seed was not used', async () => {
    using seed = temporaryFile('seed.yaml', '')
    const file = path.join(seed.directory, 'pipelines.db')
    const first = pipelinesEmulator({ file, seed: 'empty' })
    expect(await first.seedNotice()).toBeUndefined()
    await first.close()
    const second = open({ file, seed: await readSeed(sample) })
    expect(second.store.events()).toEqual([])
    expect(await second.seedNotice()).toContain('The given seed was not used')
    await second.close()
    const third = open({ file })
    expect([third.store.events(), await third.seedNotice()]).toEqual([[], undefined])
  })
})
