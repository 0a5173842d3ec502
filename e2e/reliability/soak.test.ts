import { expect, test } from 'vitest'
import { runLength } from '../run-length.ts'
import { vendors } from './bench.ts'
import { expectCounts } from './counts.ts'
import { seed, soak } from './soak.ts'

const shortRun = 500
/** `LONG=full` takes about half an hour of one processor. */
const calls = runLength === 'full' ? 100_000 : shortRun
/** Caches fill up in a short run; a leak of what a call works with would be far more, in bytes. */
const maxGrowth = 16 * 1024 * 1024

test.for(vendors)(
  `$server.name answers ${calls} mixed calls without growing (CHAOS_SEED=${seed})`,
  { timeout: 7_200_000 },
  async (vendor) => {
    const { problems, heap } = await soak(vendor, calls)
    expect(problems).toEqual([])
    expect((heap.at(-1) ?? Infinity) - (heap[2] ?? 0)).toBeLessThanOrEqual(maxGrowth)
  },
)

test('counts the calls of a short run', async () => {
  await expectCounts('soak', { servers: vendors.length, calls: vendors.length * shortRun })
})
