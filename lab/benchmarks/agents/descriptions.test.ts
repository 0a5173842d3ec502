import { expect, test } from 'vitest'
import { gradesOf, gradesPage, summaryOf } from './descriptions.ts'
import { listAllTools } from './worlds.ts'

test('descriptions keep their grades, and each that changed is graded again', async () => {
  const rows = gradesOf(await listAllTools())
  expect(rows.filter(({ isOutdated }) => isOutdated).map(({ name }) => name)).toEqual([])
  for (const [server, mean] of Object.entries({ FileStorage: 4.4, EventPipelineApi: 4.4, IssueTracker: 4.1 })) {
    const summary = summaryOf(rows, server)
    expect(summary.mean, server).toBeGreaterThanOrEqual(mean)
    expect(summary.lowest, server).toBeGreaterThanOrEqual(3.9)
  }
  const shares = Object.keys(rows[0]?.facts ?? {}).map(
    (_, fact) => rows.filter(({ facts }) => Object.values(facts)[fact]).length / rows.length,
  )
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.7)
  await expect(`${gradesPage(rows)}\n`).toMatchFileSnapshot('./descriptions.md')
})
