import { expect, test } from 'vitest'
import { rowOf, timeCalls } from '../lab/benchmarks/time/calls.ts'
import { readTimeResults } from '../lab/benchmarks/time/report.ts'

test('calls need as many requests as is published, and the share of the vendor is a part of each', { timeout: 120_000 }, async () => {
  const measured = await timeCalls(3)
  const countOf = ({ server, tool, requests }: { readonly server: string; readonly tool: string; readonly requests: number }) => ({
    ...{ server, tool, requests },
  })
  expect(measured.map((each) => countOf(rowOf(each)))).toEqual(readTimeResults().calls.map(countOf))
  const outside = measured.flatMap(({ tool, trials }) =>
    trials
      .filter(({ vendorMs, totalMs, requests }) => vendorMs > totalMs || vendorMs > 0 !== requests > 0)
      .map((trial) => ({ tool, ...trial })),
  )
  expect(outside).toEqual([])
})
