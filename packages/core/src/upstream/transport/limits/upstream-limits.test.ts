import { describe } from 'vitest'
import { ManualClock } from '../../../../test/manual-clock.ts'
import { upstreamLimitsContract } from '../../../../test/upstream-limits-contract.ts'
import { memoryLimits } from './upstream-limits.ts'

describe('limits in memory', () => {
  upstreamLimitsContract(
    () => {
      const clock = new ManualClock()
      return Promise.resolve({ clock, limits: memoryLimits(clock) })
    },
    { numRuns: 100, manyFaults: 1_000 },
  )
})
