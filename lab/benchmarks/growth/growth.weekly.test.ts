import { expect, test } from 'vitest'
import { measureJobs } from './bench.ts'
import published from './results.json' with { type: 'json' }

test('a call needs as many requests where there is much as where there is little', { timeout: 300_000 }, async () => {
  const rows = await measureJobs(0.05)
  expect(rows.filter(({ few, many }) => many.requests > few.requests)).toEqual([])
  const requestsOf = ({ job, few }: (typeof published.jobs)[number] | (typeof rows)[number]) => [job, few.requests]
  expect(rows.map(requestsOf)).toEqual(expect.arrayContaining(published.jobs.map(requestsOf)))
})
