import type { ManualClock } from '@mcp-toolkits/core/testing'
import { type BegunRecord, type IdempotencyStore, type KeyState, maxResultBytes, type OperationRequest } from '@mcp-toolkits/core/tool'
import { describe, expect, it } from 'vitest'

/** One store of records on one machine, as tests see it. */
export interface StoreMachine {
  /** True if a dead process counts as alive until its heartbeats are missed: an identical call then waits for one in another process. */
  readonly usesHeartbeats?: boolean
  readonly clock: ManualClock
  /** Starts a process that uses the store. */
  readonly start: () => Promise<StoreProcess>
  /** Kills all processes and starts the machine again, which takes `ms` milliseconds. */
  readonly reboot: (ms: number) => Promise<void>
}

export interface StoreProcess {
  readonly store: IdempotencyStore
  /** Ends it without completing or abandoning anything. */
  readonly kill: () => Promise<void>
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const unkeyed: OperationRequest = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
const keyed = { ...unkeyed, key: 'key' }
/** Requests that differ from `keyed` in each value that tells records apart. */
const others = [
  { ...keyed, account: 'ben' },
  { ...keyed, tool: 'AddComment' },
  { ...keyed, key: 'other' },
]

/** Makes the identities minted-1, minted-2 and so on. */
function minting() {
  let count = 0
  return () => Promise.resolve(`minted-${(count += 1)}`)
}

const anyId: unknown = expect.any(String)

const begun = (identity: string, isRepeat = false) => ({ kind: 'begun', id: anyId, identity, isRepeat })

/** Begins an operation as a tool does: it mints only if nothing is known. */
export async function begin(
  store: IdempotencyStore,
  request: OperationRequest,
  mint: () => Promise<string>,
): Promise<BegunRecord | KeyState> {
  return (await store.begin(request)) ?? store.claim(request, await mint())
}

/** Begins an operation that must succeed, and returns its record's id. */
async function beginNew({ store }: StoreProcess, request: OperationRequest, identity = 'identity'): Promise<string> {
  const record = await begin(store, request, () => Promise.resolve(identity))
  if (record.kind !== 'begun' || record.isRepeat) throw new Error(`A new operation was expected, and not ${JSON.stringify(record)}.`)
  return record.id
}

/** The rules for every store of records. `open` makes a machine with an empty one. */
export function idempotencyContract(open: () => Promise<StoreMachine>): void {
  describe.each([
    ['without a key', unkeyed],
    ['with a key', keyed],
  ])('an operation %s', (_, request) => {
    it('gets the identity that is minted for it', async () => {
      const { store } = await (await open()).start()
      expect(await begin(store, request, minting())).toEqual(begun('minted-1'))
    })

    it('is not begun before an identity is claimed', async () => {
      const { store } = await (await open()).start()
      expect([await store.begin(request), await store.begin(request)]).toEqual([undefined, undefined])
      expect(await begin(store, request, minting())).toEqual(begun('minted-1'))
    })

    it('keeps its identity if a call claims another one, minted meanwhile', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      expect(await second.store.begin(request)).toBeUndefined()
      await first.store.abandon(await beginNew(first, request))
      expect(await second.store.claim(request, 'late')).toEqual(begun('identity', true))
    })

    it('is taken over when its process has died, in any other, and mints nothing', async () => {
      const machine = await open()
      const first = await machine.start()
      await beginNew(first, request)
      await first.kill()
      const mint = () => Promise.reject(new Error('minted'))
      for (let turn = 0; turn < 3; turn += 1) {
        const next = await machine.start()
        expect(await begin(next.store, request, mint)).toEqual(begun('identity', true))
        await next.kill()
      }
    })

    it('is taken over at once when it was abandoned, in its own process and in another', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      await first.store.abandon(await beginNew(first, request))
      const own = await begin(first.store, request, minting())
      expect(own).toEqual(begun('identity', true))
      if (own.kind === 'begun') await first.store.abandon(own.id)
      expect(await begin(second.store, request, minting())).toEqual(begun('identity', true))
    })

    it('continues under a new identity after a renewal, unless it was taken over', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      const id = await beginNew(first, request)
      await first.store.renew(id, 'second')
      await first.store.abandon(id)
      expect(await begin(second.store, request, minting())).toEqual(begun('second', true))
      await first.store.renew(id, 'third')
      await second.kill()
      expect(await begin(first.store, request, minting())).toEqual(begun('second', true))
    })

    it('cannot be ended by the call from which it was taken over', async () => {
      const machine = await open()
      const first = await machine.start()
      const id = await beginNew(first, request)
      await first.store.abandon(id)
      const other = await machine.start()
      expect(await begin(other.store, request, minting())).toEqual(begun('identity', true))
      await first.store.complete(id, 'late')
      await first.store.abandon(id)
      await other.kill()
      expect(await begin(first.store, request, minting())).toEqual(begun('identity', true))
    })

    it('is separate from those of other accounts, tools and keys', async () => {
      const machine = await open()
      const process = await machine.start()
      await process.store.abandon(await beginNew(process, request))
      for (const other of others) await beginNew(process, other)
      for (const other of others.slice(0, 2)) await beginNew(process, { ...other, key: undefined })
      await beginNew(process, request === keyed ? unkeyed : keyed)
    })

    it('ends once: unknown ids and repeated ends change nothing', async () => {
      const process = await (await open()).start()
      await process.store.complete('77', 'nothing')
      await process.store.abandon('none')
      const id = await beginNew(process, request)
      await process.store.complete(id, 'result')
      await process.store.abandon(id)
      await process.store.complete(id, 'another')
      const again = await begin(process.store, request, minting())
      expect(again).toEqual(request === keyed ? { kind: 'done', result: 'result' } : begun('minted-1'))
    })

    it.each([-day, 0, day])('can be taken over for its whole lifetime when the date jumps by %i ms', async (jump) => {
      const lifetime = request === keyed ? day : 10 * minute
      for (const [age, isRepeat] of [
        [lifetime - 1, true],
        [lifetime, false],
      ] as const) {
        const machine = await open()
        const first = await machine.start()
        await beginNew(first, request)
        await first.kill()
        machine.clock.jump(jump)
        await machine.clock.advance(age)
        const { store } = await machine.start()
        expect(await begin(store, request, minting())).toEqual(isRepeat ? begun('identity', true) : begun('minted-1'))
      }
    })

    it('counts its lifetime from the moment it was abandoned', async () => {
      const { clock, start } = await open()
      const process = await start()
      const id = await beginNew(process, request)
      await clock.advance(2 * day)
      await process.store.abandon(id)
      await clock.advance(9 * minute)
      expect(await begin(process.store, request, minting())).toEqual(begun('identity', true))
    })

    it('counts its lifetime from the last touch, and is touched only while it runs', async () => {
      const lifetime = request === keyed ? day : 10 * minute
      const { clock, start } = await open()
      const first = await start()
      const id = await beginNew(first, request)
      await clock.advance(lifetime - 1)
      await first.store.touch(id)
      await clock.advance(lifetime - 1)
      await first.kill()
      const second = await start()
      expect(await begin(second.store, request, minting())).toEqual(begun('identity', true))
      await second.store.touch(id)
      await clock.advance(lifetime)
      await second.kill()
      const third = await start()
      await third.store.touch(id)
      expect(await begin(third.store, request, minting())).toEqual(begun('minted-1'))
    })

    it('keeps its age when the machine restarts', async () => {
      for (const [ms, isRepeat] of [
        [9 * minute, true],
        [2 * day, false],
      ] as const) {
        const machine = await open()
        const first = await machine.start()
        await beginNew(first, request)
        await machine.reboot(ms)
        const { store } = await machine.start()
        expect(await begin(store, request, minting())).toEqual(isRepeat ? begun('identity', true) : begun('minted-1'))
      }
    })

    it('survives a restart of the machine that sets the date back by a day', async () => {
      const machine = await open()
      await beginNew(await machine.start(), request)
      await machine.reboot(-day)
      const { store } = await machine.start()
      expect(await begin(store, request, minting())).toEqual(begun('identity', true))
    })
  })

  describe('operations without a key', () => {
    it('that run at the same time in one process are separate', async () => {
      const { store } = await (await open()).start()
      const mint = minting()
      const records = await Promise.all([begin(store, unkeyed, mint), begin(store, unkeyed, mint)])
      expect(records.map((record) => record.kind === 'begun' && record.identity).toSorted()).toEqual(['minted-1', 'minted-2'])
    })

    it('that run at the same time in two processes are separate, one after the other if a process may be dead', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      const id = await beginNew(first, unkeyed)
      const meanwhile = await begin(second.store, unkeyed, minting())
      expect(meanwhile).toEqual(machine.usesHeartbeats === true ? { kind: 'running' } : begun('minted-1'))
      if (machine.usesHeartbeats !== true) return
      await first.store.complete(id)
      await beginNew(second, unkeyed)
      expect(await begin(first.store, unkeyed, minting())).toEqual({ kind: 'running' })
      await second.kill()
      expect(await begin(first.store, unkeyed, minting())).toEqual(begun('identity', true))
    })

    it('are forgotten when they are complete', async () => {
      const process = await (await open()).start()
      await process.store.complete(await beginNew(process, unkeyed))
      await process.store.complete(await beginNew(process, unkeyed), 'result')
      await beginNew(process, unkeyed)
    })

    it('are taken over one by one, the oldest first, by callers that come at the same time', async () => {
      const machine = await open()
      const dead = await machine.start()
      for (const identity of ['a', 'b', 'c']) await beginNew(dead, unkeyed, identity)
      await dead.kill()
      const [first, second] = [await machine.start(), await machine.start()]
      const mint = minting()
      const [a, b] = [await begin(first.store, unkeyed, mint), await begin(second.store, unkeyed, mint)]
      expect([a, b]).toEqual([begun('a', true), begun('b', true)])
      const rest = await Promise.all([first, second, first].map(({ store }) => begin(store, unkeyed, mint)))
      const identities = rest.map((record) => (record.kind === 'begun' ? record.identity : record.kind))
      expect(identities).toContain('c')
      expect(identities.filter((identity) => identity === 'running')).toHaveLength(machine.usesHeartbeats === true ? 2 : 0)
      expect(new Set(identities).size).toBe(machine.usesHeartbeats === true ? 2 : 3)
    })

    it('with different arguments are separate', async () => {
      const process = await (await open()).start()
      await process.store.abandon(await beginNew(process, unkeyed))
      await beginNew(process, { ...unkeyed, argumentsHash: 'other' })
    })

    it('can still be abandoned when they have run for longer than they are remembered', async () => {
      const { clock, start } = await open()
      const [runner, other] = [await start(), await start()]
      const id = await beginNew(runner, unkeyed, 'long')
      await clock.advance(11 * minute)
      await beginNew(other, unkeyed, 'other')
      await runner.store.abandon(id)
      expect(await begin(other.store, unkeyed, minting())).toEqual(begun('long', true))
    })
  })

  describe('operations with a key', () => {
    it('run once: other calls with the key see that it is running, and then its result', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      expect(await second.store.find(keyed)).toBeUndefined()
      const id = await beginNew(first, keyed)
      for (const { store } of [first, second]) {
        expect(await store.find(keyed)).toEqual({ kind: 'running' })
        expect(await begin(store, keyed, minting())).toEqual({ kind: 'running' })
      }
      await first.store.complete(id, '{"id":"é"}')
      for (const { store } of [first, second]) {
        expect(await store.find(keyed)).toEqual({ kind: 'done', result: '{"id":"é"}' })
        expect(await begin(store, keyed, minting())).toEqual({ kind: 'done', result: '{"id":"é"}' })
      }
    })

    it('that begin at the same time run once, however long minting takes', async () => {
      const machine = await open()
      const processes = [await machine.start(), await machine.start(), await machine.start()]
      const arrived = Promise.withResolvers<undefined>()
      let waiting = 0
      const mint = async () => {
        waiting += 1
        if (waiting === processes.length) arrived.resolve(undefined)
        await arrived.promise
        return 'identity'
      }
      const outcomes = await Promise.all(processes.map(({ store }) => begin(store, keyed, mint)))
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['begun', 'running', 'running'])
    })

    it('are refused with different arguments, no matter how the first call ended', async () => {
      const machine = await open()
      const [first, other] = [await machine.start(), await machine.start()]
      const changed = { ...keyed, argumentsHash: 'changed' }
      const expectRefusal = async () => {
        expect(await other.store.find(changed)).toEqual({ kind: 'different' })
        expect(await begin(other.store, changed, minting())).toEqual({ kind: 'different' })
      }
      const id = await beginNew(first, keyed)
      await expectRefusal()
      await first.store.abandon(id)
      await expectRefusal()
      const again = await begin(other.store, keyed, minting())
      if (again.kind === 'begun') await other.store.complete(again.id, 'result')
      await expectRefusal()
      await machine.clock.advance(day)
      expect(await other.store.find(changed)).toBeUndefined()
      expect(await begin(other.store, changed, minting())).toEqual(begun('minted-1'))
    })

    it('can run when their first call was abandoned or its process has died', async () => {
      const machine = await open()
      const [first, second] = [await machine.start(), await machine.start()]
      await first.store.abandon(await beginNew(first, keyed))
      await beginNew(first, { ...keyed, key: 'dead' })
      await first.kill()
      expect([await second.store.find(keyed), await second.store.find({ ...keyed, key: 'dead' })]).toEqual([undefined, undefined])
    })

    it('are not forgotten while they run', async () => {
      const { clock, start } = await open()
      const [first, second] = [await start(), await start()]
      await beginNew(first, keyed)
      await clock.advance(2 * day)
      await beginNew(second, unkeyed)
      expect(await begin(second.store, keyed, minting())).toEqual({ kind: 'running' })
    })

    it.each([-day, 0, day])('keep their result for 24 hours if the date jumps by %i ms', async (jump) => {
      const { clock, start } = await open()
      const process = await start()
      await process.store.complete(await beginNew(process, keyed), 'result')
      clock.jump(jump)
      await clock.advance(day - 1)
      expect(await process.store.find(keyed)).toEqual({ kind: 'done', result: 'result' })
      await clock.advance(1)
      expect(await process.store.find(keyed)).toBeUndefined()
      expect(await begin(process.store, keyed, minting())).toEqual(begun('minted-1'))
    })

    it('keep their result after the machine restarts', async () => {
      const machine = await open()
      const process = await machine.start()
      await process.store.complete(await beginNew(process, keyed), 'result')
      await machine.reboot(23 * hour)
      const { store } = await machine.start()
      expect(await store.find(keyed)).toEqual({ kind: 'done', result: 'result' })
      await machine.clock.advance(hour)
      expect(await store.find(keyed)).toBeUndefined()
    })

    it('store results of at most 64 KiB', async () => {
      const process = await (await open()).start()
      const id = await beginNew(process, keyed)
      await expect(process.store.complete(id, 'é'.repeat(maxResultBytes / 2 + 1))).rejects.toThrow(RangeError)
      expect(await process.store.find(keyed)).toEqual({ kind: 'running' })
      const largest = 'é'.repeat(maxResultBytes / 2)
      await process.store.complete(id, largest)
      expect(await process.store.find(keyed)).toEqual({ kind: 'done', result: largest })
    })
  })
}
