import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openBench } from './bench.ts'
import { generalFaults, refusalFault } from '../../packages/testing/src/vendors/faults.ts'
import type { Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** The seed of the run; `CHAOS_SEED` repeats an earlier one. */
export const seed = Number(process.env['CHAOS_SEED'] ?? 20261122)

const faultShare = 0.1
/** Number of calls after which the vendor and the network forget everything, so that only the server's memory can grow. */
const forgetEvery = 100

export interface SoakResult {
  readonly calls: number
  /** Calls that got no usable answer. */
  readonly problems: readonly string[]
  readonly tenths: readonly Tenth[]
}

/** The process's memory, in bytes, after each tenth of the calls. */
interface Tenth {
  /** Objects and buffers' contents, without garbage. */
  readonly used: number
  /** Resident memory: with the code, garbage, and the allocator's reserves. */
  readonly resident: number
  readonly seconds: number
}

/** Numbers in [0, 1) that depend only on the seed: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Calls all tools of a server in random order, while some requests fail, and reports each tenth of the calls to `onTenth`. */
export async function soak(vendor: Vendor, calls: number, onTenth: (tenth: Tenth) => void): Promise<SoakResult> {
  const random = randomFrom(seed)
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const faults = [...vendor.refusals.map(refusalFault), ...generalFaults]
  const collectGarbage = garbageCollector()
  await using bench = await openBench(vendor)
  const problems: string[] = []
  const tenths: Tenth[] = []
  const started = performance.now()
  for (let number = 1; number <= calls; number += 1) {
    const tool = pick(vendor.tools)?.name ?? ''
    bench.network.fail(() => (random() < faultShare ? pick(faults)?.fail : undefined))
    const problem = await bench.call(tool).then(
      ({ error }) => (error?.code === 'internal' ? `${tool}: ${error.message}` : undefined),
      (error: unknown) => `${tool}: ${String(error)}`,
    )
    if (problem !== undefined) problems.push(problem)
    if (number % forgetEvery === 0) {
      bench.network.restore()
      bench.session.log.length = 0
      await bench.opened.reset()
      await bench.clock.leap(2 * 3_600_000)
    }
    if (number % (calls / 10) === 0) {
      collectGarbage()
      // Finalizers run after the first pass free more objects.
      await setImmediate()
      collectGarbage()
      const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
      const tenth = { used: heapUsed + arrayBuffers, resident: rss, seconds: (performance.now() - started) / 1000 }
      tenths.push(tenth)
      onTenth(tenth)
    }
  }
  return { calls, problems, tenths }
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (!isAction(collect)) throw new Error('This Node offers no garbage collection.')
  return collect
}

function isAction(value: unknown): value is () => void {
  return typeof value === 'function'
}
