import { describe, expect, test } from 'vitest'
import { openBench, sampleCall, vendors } from './bench.ts'
import { refusalFault } from '../../packages/testing/src/vendors/faults.ts'
import { silence } from '../../packages/testing/src/vendors/network.ts'

const day = 86_400_000

describe.for(vendors)('$server.name', (vendor) => {
  const isOutbox = vendor.server.name === 'event-pipeline'

  describe.for([
    ['a day forward', day],
    ['a day back', -day],
  ] as const)('when the clock of the machine is set %s', ([, jump]) => {
    test('a call under way is neither ended early nor late', async () => {
      await using bench = await openBench(vendor)
      bench.network.fail((index) => (index === 0 ? silence : undefined))
      const started = bench.clock.monotonic()
      const call = bench.session.call(...sampleCall(vendor, 0))
      await bench.clock.leap(1_000)
      bench.clock.jump(jump)
      const { error } = await bench.clock.until(call)
      expect(error).toBeUndefined()
      expect(bench.clock.monotonic() - started).toBeLessThanOrEqual(30_000)
    })

    test('a used-up quota is over when the vendor said so', async () => {
      await using bench = await openBench(vendor)
      const refusal = vendor.refusals.find(({ name }) => name === 'HTTP 429 with a long Retry-After')
      if (!refusal?.hintMs) throw new Error('The vendor has no refusal with a long Retry-After.')
      const { fail } = refusalFault(refusal)
      bench.network.fail((index) => (index === 0 ? fail : undefined))
      await bench.call(...sampleCall(vendor, 0))
      bench.clock.jump(jump)
      await bench.clock.leap(refusal.hintMs / 2)
      await bench.call(...sampleCall(vendor, 1))
      expect(bench.network.exchanges).toHaveLength(1)
      await bench.clock.leap(refusal.hintMs)
      const { error, result } = await bench.call(...sampleCall(vendor, 2))
      expect(error).toBeUndefined()
      if (isOutbox) expect(result['outcome']).toBe('delivered')
      // The events in an outbox have been sent, once.
      await bench.clock.leap(60_000)
      if (isOutbox) expect(await bench.opened.state()).toHaveLength(3)
    })
  })
})
