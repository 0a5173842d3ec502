import { describe, expect, test } from 'vitest'
import { openBench, sampleCall, vendors, type Bench } from './bench.ts'
import { generalFaults, refusalFault, type Fault } from '../../packages/testing/src/vendors/faults.ts'
import type { Vendor } from '../../packages/testing/src/vendors/vendor.ts'

const calls = 50
const maxRequests = 75

const faultsOf = (vendor: Vendor): readonly Fault[] => [...vendor.refusals.map(refusalFault), ...generalFaults]
const refusing = ['HTTP 503', 'HTTP 429 without Retry-After', 'reset before the commit', 'HTTP 401', 'HTML page'] as const

/** Makes calls one after the other, as an agent does, all of them different. */
async function callAgain(vendor: Vendor, bench: Bench, count: number): Promise<string[]> {
  const codes: string[] = []
  for (let number = 0; number < count; number += 1) {
    const { error, result } = await bench.call(...sampleCall(vendor, number))
    const { outcome } = result
    codes.push(error?.code ?? (typeof outcome === 'string' ? outcome : 'result'))
  }
  return codes
}

describe.for(vendors)('$server.name', (vendor) => {
  test.for(refusing)(`${calls} calls to a vendor that answers everything with "%s" cause at most ${maxRequests} requests`, async (name) => {
    await using bench = await openBench(vendor)
    const fault = faultsOf(vendor).find((each) => each.name === name)
    bench.network.fail(() => fault?.fail)
    const codes = await callAgain(vendor, bench, calls)
    expect(codes).toHaveLength(calls)
    expect(codes.filter((code) => ['result', 'delivered', 'internal'].includes(code))).toEqual([])
    expect(bench.network.exchanges.length).toBeLessThanOrEqual(maxRequests)
    expect(bench.network.exchanges.length).toBeGreaterThan(0)
  })

  test('no request is sent while the quota is used up, and calls work again when it is reset', async () => {
    await using bench = await openBench(vendor)
    const fault = faultsOf(vendor).find(({ name }) => name === 'HTTP 429 with a long Retry-After')
    bench.network.fail((index) => (index === 0 ? fault?.fail : undefined))
    const [first] = await callAgain(vendor, bench, 1)
    expect(first).toBe(vendor.server.name === 'event-pipeline' ? 'queued' : 'rate_limited')
    expect(bench.network.exchanges).toHaveLength(1)
    const codes = await callAgain(vendor, bench, calls)
    expect(new Set(codes)).toEqual(new Set([first]))
    expect(bench.network.exchanges).toHaveLength(1)
    await bench.clock.leap(fault?.hintMs ?? 0)
    const [after] = await callAgain(vendor, bench, 1)
    expect(after).toBe(vendor.server.name === 'event-pipeline' ? 'delivered' : 'result')
  })
})
