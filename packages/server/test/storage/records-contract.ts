import type { ExpiringRecords } from '@mcp-toolkits/core/base'
import type { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'

/** Records that several processes share, as tests see them. */
export interface RecordProcesses {
  readonly clock: ManualClock
  readonly start: () => Promise<{ readonly records: ExpiringRecords; readonly kill: () => Promise<void> }>
}

const minute = 60_000
const key = { owner: 'ada', kind: 'upload', name: 'a' }

/** The rules for expiring records. `open` makes an empty store. */
export function recordsContract(open: () => Promise<RecordProcesses>): void {
  const startTwo = async () => {
    const { clock, start } = await open()
    const [first, second] = [await start(), await start()]
    return { clock, first: first.records, second: second.records, kill: first.kill }
  }

  it('are seen by all processes, until they are replaced, deleted or expired', async () => {
    const { clock, first, second } = await startTwo()
    expect(await first.get(key)).toBeUndefined()
    await first.set(key, 'é', minute)
    expect(await second.get(key)).toBe('é')
    await second.set(key, 'other', 2 * minute)
    await clock.advance(2 * minute - 1)
    expect(await first.get(key)).toBe('other')
    await clock.advance(1)
    expect([await first.get(key), await first.hold(key), await first.list(key)]).toEqual([undefined, undefined, []])
    await first.set(key, 'again', minute)
    await second.delete(key)
    expect(await first.get(key)).toBeUndefined()
  })

  it('are taken by one of several callers', async () => {
    const { clock, first, second } = await startTwo()
    await first.set(key, 'once', minute)
    const taken = await Promise.all([first.take(key), second.take(key), first.take(key)])
    expect(taken.filter((text) => text === 'once')).toHaveLength(1)
    expect(await second.get(key)).toBeUndefined()
    await second.set(key, 'late', minute)
    await clock.advance(minute)
    expect(await first.take(key)).toBeUndefined()
  })

  it.each([-1, 1])('expire after the elapsed time, whatever the date', async (direction) => {
    const { clock, first, second } = await startTwo()
    await first.set(key, 'text', minute)
    clock.jump(direction * 24 * 60 * minute)
    await second.set({ ...key, name: 'b' }, 'another', minute)
    await clock.advance(minute - 1)
    expect(await second.get(key)).toBe('text')
    await clock.advance(1)
    expect(await second.get(key)).toBeUndefined()
  })

  it('are separate for each owner and kind, and listed by name', async () => {
    const { first, second } = await startTwo()
    for (const other of [{ owner: 'ben' }, { kind: 'download' }, { name: 'c' }, { name: 'b' }])
      await first.set({ ...key, ...other }, JSON.stringify(other), minute)
    expect(await second.list(key)).toEqual([
      { name: 'b', text: '{"name":"b"}' },
      { name: 'c', text: '{"name":"c"}' },
    ])
    expect(await second.get(key)).toBeUndefined()
  })

  it('are held by one caller at a time, who may replace them meanwhile', async () => {
    const { first, second } = await startTwo()
    await first.set(key, 'text', minute)
    const callers = [first, second, first, second].map((records) => records.hold(key))
    const texts = await Promise.all(callers)
    expect(texts.filter((text) => text === 'text')).toHaveLength(1)
    const [holder, other] = texts[0] === 'text' || texts[2] === 'text' ? [first, second] : [second, first]
    await holder.set(key, 'later', minute)
    expect([await other.hold(key), await holder.hold(key), await other.get(key)]).toEqual([undefined, undefined, 'later'])
    await other.release(key)
    expect(await other.hold(key)).toBeUndefined()
    await holder.release(key)
    expect(await other.hold(key)).toBe('later')
  })

  it('are free when their holder has died', async () => {
    const { first, second, kill } = await startTwo()
    await first.set(key, 'text', minute)
    expect([await first.hold(key), await second.hold(key)]).toEqual(['text', undefined])
    await kill()
    expect(await second.hold(key)).toBe('text')
  })
}
