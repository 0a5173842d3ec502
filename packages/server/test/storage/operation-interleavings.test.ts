import type { OperationRequest } from '@mcp-toolkits/core/tool'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../testing/src/runs.ts'
import { openMachine } from './machine.ts'
import { begin } from './idempotency-store-contract.ts'

const minute = 60_000
const day = 24 * 60 * minute

const request: OperationRequest = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
const requests = [request, { ...request, key: 'a' }, { ...request, key: 'a', argumentsHash: 'changed' }, { ...request, key: 'b' }]

/** Expected state of an operation in the store. */
interface Expected {
  readonly asked: OperationRequest
  readonly identity: string
  /** The process that works on it; absent when it died or gave up. */
  readonly holder?: number | undefined
  readonly isDone?: boolean
  readonly since: number
}

/** The rules of a store in their simplest form: a list in memory, the oldest record first. */
class Model {
  records: readonly Expected[] = []
  now = 0

  /** The outcomes of this many callers that begin at the same time, in some order. */
  outcomes(asked: OperationRequest, callers: number): string[] {
    const lifetime = asked.key === undefined ? 10 * minute : day
    const known = this.records.filter((record) => record.asked.key === asked.key)
    const kept = known.filter((record) => record.holder !== undefined || this.now - record.since < lifetime)
    const free = kept.filter((record) => record.holder === undefined).map(({ identity }) => `again ${identity}`)
    const all = Array.from({ length: callers }, (_, caller) => free[caller] ?? 'new')
    const [first] = kept
    if (asked.key === undefined) return all
    if (first && first.asked.argumentsHash !== asked.argumentsHash) return all.map(() => 'different')
    if (first?.isDone === true) return all.map(() => `done ${first.identity}`)
    return all.map((outcome, caller) => (first?.holder === undefined && caller === 0 ? outcome : 'running'))
  }

  begin(asked: OperationRequest, identity: string, holder: number): void {
    const hasEnded = (record: Expected) => record.identity === identity || (asked.key !== undefined && record.asked.key === asked.key)
    this.records = [...this.records.filter((record) => !hasEnded(record)), { asked, identity, holder, since: this.now }]
  }

  change(identity: string, changes: Partial<Expected>): void {
    this.records = this.records.map((record) => (record.identity === identity ? { ...record, ...changes } : record))
  }

  forget(identity: string): void {
    this.records = this.records.filter((record) => record.identity !== identity)
  }
}

const eachProcess = fc.nat(1)
const steps = fc.array(
  fc.oneof(
    fc.record({ begin: fc.constantFrom(...requests), callers: fc.array(eachProcess, { minLength: 1, maxLength: 3 }) }),
    fc.record({ begin: fc.constantFrom(...requests), callers: fc.array(eachProcess, { minLength: 1, maxLength: 3 }) }),
    fc.record({ end: fc.constantFrom('complete' as const, 'abandon' as const), operation: fc.nat(3) }),
    fc.record({ kill: eachProcess }),
    fc.record({ passMs: fc.constantFrom(minute, 5 * minute, 10 * minute, day), jumpMs: fc.constantFrom(-day, 0, day) }),
  ),
  { minLength: 10, maxLength: 40 },
)

/** Two processes on one store, and the model of the expected outcome. */
async function openRun(scheduler: fc.Scheduler) {
  const { start, clock } = await openMachine()
  const processes = [await start(), await start()]
  const model = new Model()
  const storeOf = (process: number) => {
    const store = processes[process]?.store
    if (!store) throw new Error('There are two processes.')
    return store
  }
  let running: { readonly id: string; readonly asked: OperationRequest; readonly identity: string; readonly process: number }[] = []
  let minted = 0
  return {
    async begin(asked: OperationRequest, callers: readonly number[]) {
      const expected = model.outcomes(asked, callers.length)
      const mint = () => scheduler.schedule(Promise.resolve(`identity ${(minted += 1)}`))
      const begins = callers.map(async (process) => ({ process, outcome: await begin(storeOf(process), asked, mint) }))
      const found = await scheduler.waitFor(Promise.all(begins))
      const seen = found.map(({ outcome }) => {
        if (outcome.kind === 'done') return `done ${outcome.result}`
        if (outcome.kind !== 'begun') return outcome.kind
        return outcome.isRepeat ? `again ${outcome.identity}` : 'new'
      })
      expect(seen.toSorted()).toEqual(expected.toSorted())
      const begun = found.flatMap(({ process, outcome }) => (outcome.kind === 'begun' ? [{ ...outcome, asked, process }] : []))
      // In the order of their commits.
      for (const { identity, process } of begun.toSorted((a, b) => Number(a.id) - Number(b.id))) model.begin(asked, identity, process)
      running.push(...begun)
    },
    async end(kind: 'complete' | 'abandon', operation: number) {
      const begun = running[operation % Math.max(1, running.length)]
      if (!begun) return
      running = running.filter((other) => other !== begun)
      const { id, asked, identity, process } = begun
      if (kind === 'abandon') {
        await storeOf(process).abandon(id)
        model.change(identity, { holder: undefined, since: model.now })
      } else {
        await storeOf(process).complete(id, asked.key === undefined ? undefined : identity)
        if (asked.key === undefined) model.forget(identity)
        else model.change(identity, { holder: undefined, isDone: true })
      }
    },
    async kill(process: number) {
      await processes[process]?.kill()
      processes[process] = await start()
      running = running.filter((begun) => begun.process !== process)
      for (const { identity, holder } of model.records) if (holder === process) model.change(identity, { holder: undefined })
    },
    async pass(ms: number, jumpMs: number) {
      clock.jump(jumpMs)
      await clock.advance(ms)
      model.now += ms
    },
  }
}

it('two processes that begin, end and die in any order get what one list in memory would give them', { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(fc.scheduler(), steps, async (scheduler, taken) => {
    const run = await openRun(scheduler)
    for (const step of taken) {
      if ('begin' in step) await run.begin(step.begin, step.callers)
      else if ('end' in step) await run.end(step.end, step.operation)
      else if ('kill' in step) await run.kill(step.kill)
      else await run.pass(step.passMs, step.jumpMs)
    }
  })
  await fc.assert(property, { numRuns: runs(200) })
})
