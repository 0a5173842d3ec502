import { expect, test } from 'vitest'
import { isFull } from '../../packages/testing/src/runs.ts'
import { vendors } from './bench.ts'
import { expectCounts } from './counts.ts'
import { seed, soak } from './soak.ts'

const shortRun = 100
/** `LONG=full` takes about half an hour of processor time. */
const calls = isFull ? 100_000 : shortRun
/**
 * Maximum growth, in bytes, from the third tenth of the calls to the last. In a short run, code is still being compiled and caches fill. In
 * a full run, even one object of 120 bytes left behind by each call is too much.
 */
const maxGrowth = (isFull ? 8 : 16) * 1024 * 1024

test.for(vendors)(
  `$server.name answers ${calls} mixed calls without growing (CHAOS_SEED=${seed})`,
  { timeout: 7_200_000 },
  async (vendor) => {
    const { problems, tenths } = await soak(vendor, calls, (tenth) => {
      if (isFull) process.stderr.write(`${vendor.server.name} ${JSON.stringify(tenth)}\n`)
    })
    expect(problems).toEqual([])
    expect((tenths.at(-1)?.used ?? Infinity) - (tenths[2]?.used ?? 0)).toBeLessThanOrEqual(maxGrowth)
  },
)

test('counts the calls of a short run', async () => {
  await expectCounts('soak', { servers: vendors.length, calls: vendors.length * shortRun })
})
