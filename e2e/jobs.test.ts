// Jobs that people ask for, done with descriptions and results alone.
import { expect, test } from 'vitest'
import { openWork } from './jobs/agent.ts'
import { jobs } from './jobs/jobs.ts'
import { type Figures, jobTable } from './jobs/report.ts'

const figures: Figures[] = []

test.for(jobs)('$name', async ({ name, wish, toolsets, prepare, work, check, peers }) => {
  await using opened = await openWork(wish, toolsets)
  const { agent, vendor, calls, tokens } = opened
  await prepare?.(vendor)
  const before = vendor.changes()
  await work(agent)
  await check(vendor, before)
  figures.push({ name, calls: calls(), tokens: tokens(), peers })
})

test('the table shows what each job takes: after a change, run this with --update, then npm run generate', async () => {
  await expect(jobTable(figures)).toMatchFileSnapshot('./jobs/tables/jobs.md')
})
