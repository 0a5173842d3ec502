import type { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import type { ResumeStateStore } from '../src/upload/resume-state-files.ts'

export const call = { name: 'a.bin' }
const etag = '"v1"'
export const session = { address: 'https://drive.example/session', mimeType: 'a/b', etag }
const minute = 60_000

/** The resume states of several processes, each of which is alive until the test kills it. */
export interface Processes {
  readonly clock: ManualClock
  readonly start: (owner?: string) => Promise<{ readonly states: ResumeStateStore; readonly kill: () => Promise<unknown> }>
}

/** Tests the rules for resume states. `open` creates an empty store. */
export function resumeStatesContract(open: () => Promise<Processes>): void {
  test('a state belongs to one process until that releases it or dies', async () => {
    const { clock, start } = await open()
    const [one, two, three, four] = [await start(), await start(), await start(), await start()]
    const query = { id: 'id-1', etag }
    await one.states.save(call, { id: 'id-1', session, at: clock.now() })
    expect(await two.states.take(call, query)).toBeUndefined()
    await one.kill()
    const taken = await Promise.all([two.states.take(call, query), three.states.take(call, query)])
    expect(taken.filter((state) => state?.session?.address === session.address).length).toBe(1)
    const holder = taken.find((state) => state !== undefined)
    await holder?.release()
    expect(await four.states.take(call, query)).toMatchObject({ id: 'id-1', session })
    // When an earlier holder releases the state, the next holder does not lose it.
    await holder?.release()
    expect(await two.states.take(call, query)).toBeUndefined()
  })

  test('a state that has a record is left to the calls that know its id, until the record has expired', async () => {
    const { clock, start } = await open()
    const { states } = await start()
    const saved = await states.save(call, { id: 'id-1', session, at: clock.now() })
    await saved?.release()
    expect(await states.take(call, { etag })).toBeUndefined()
    expect(await states.take(call, { id: 'id-2', etag })).toBeUndefined()
    await clock.advance(10 * minute)
    expect(await states.take(call, { etag: '"v2"' })).toBeUndefined()
    expect(await states.take({ name: 'b.bin' }, { etag })).toBeUndefined()
    expect(await (await start('someone else')).states.take(call, { etag })).toBeUndefined()
    expect(await states.take(call, { etag })).toMatchObject({ id: 'id-1', session })
  })

  test('a state whose id was not claimed is found by the next call', async () => {
    const { clock, start } = await open()
    const [one, two, three] = [await start(), await start(), await start()]
    const saved = await one.states.save(call, { id: 'id-1', session, at: clock.now() })
    await saved?.release()
    await clock.advance(10 * minute)
    const taken = await one.states.take(call, { etag })
    await taken?.giveBack()
    expect(await two.states.take(call, { etag })).toMatchObject({ id: 'id-1', session })
    await two.kill()
    expect(await three.states.take(call, { etag })).toMatchObject({ id: 'id-1', session })
    await taken?.giveBack()
    await one.kill()
    expect(await one.states.take(call, { etag })).toBeUndefined()
  })

  test('finds a long upload of a dead process although the clock was set back', async () => {
    const { clock, start } = await open()
    const [one, two] = [await start(), await start()]
    await one.states.save(call, { id: 'id-1', session, at: clock.now() + 24 * 60 * minute })
    await one.kill()
    expect(await two.states.take(call, { etag })).toMatchObject({ id: 'id-1', session })
  })

  test('keeps no state for a file that is complete', async () => {
    const { clock, start } = await open()
    const { states } = await start()
    const saved = await states.save(call, { id: 'id-1', session, at: clock.now() })
    await states.remove(call, 'id-1')
    await saved?.release()
    expect(await states.take(call, { id: 'id-1', etag })).toBeUndefined()
  })
}
