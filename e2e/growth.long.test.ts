import { expect, test } from 'vitest'
import { allSeries } from '../lab/benchmarks/growth/catalog.ts'
import { readResults } from '../lab/benchmarks/growth/results.ts'
import { measureSeries } from '../lab/benchmarks/growth/series.ts'

const published = new Map(readResults().series.map((each) => [each.name, each]))

test.for(allSeries.map((series) => [series.name, series] as const))(
  'small sizes of %s need as many requests as is published',
  { timeout: 120_000 },
  async ([name, series]) => {
    const { points } = await measureSeries(series, true)
    const countsOf = ({ size, counts }: (typeof points)[number]) => ({ size, counts })
    expect(points.map(countsOf)).toEqual(published.get(name)?.points.slice(0, series.quick).map(countsOf))
  },
)
