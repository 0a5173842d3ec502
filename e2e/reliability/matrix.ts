import { expect, test } from 'vitest'
import { kindOf, problemsOf, runBaseline, type Cell } from './cells.ts'
import { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { expectCounts } from './counts.ts'
import { cellShares, frequencies } from './expectations.ts'
import { generalFaults, refusalFault } from '../../packages/testing/src/vendors/faults.ts'
import type { Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** Tests all tools for one vendor: each tool with each fault, once and always. Everyday runs take only a share of these cases. */
export function testMatrix(vendor: Vendor): void {
  const faults = [...vendor.refusals.map(refusalFault), ...generalFaults]
  const cells = faults.flatMap((fault) => frequencies.map((frequency) => ({ fault, frequency })))
  const { server } = vendor
  let tools = 0
  let count = 0
  test.for(vendor.tools)('$name keeps every promise under each fault, once and always', { timeout: 300_000 }, async ({ name, effect }) => {
    const clock = new RunningClock()
    await using opened = await vendor.open(clock)
    const args = opened.calls[name]
    if (!args) throw new Error(`calls has no call of ${name}.`)
    const kind = kindOf(vendor, { name, effect })
    const baseline = await runBaseline({ vendor, opened, clock }, name, args)
    const problems: string[] = []
    tools += 1
    for (const { fault, frequency } of shareOf(cells, cellShares, tools)) {
      count += 1
      const cell: Cell = { tool: name, args, kind, fault, frequency }
      const found = await problemsOf({ vendor, opened, clock }, cell, baseline).catch((error: unknown) => [String(error)])
      problems.push(...found.map((problem) => `${fault.name}, ${frequency}: ${problem}`))
    }
    expect(problems).toEqual([])
  })

  test('counts the cells of the matrix', async () => {
    await expectCounts(`matrix-${server.name}`, { tools: vendor.tools.length, faults: faults.length, cells: count })
  })
}
