import { expect, test } from 'vitest'
import { gradesOf, gradesPage, summaryOf } from './descriptions.ts'
import { listAllTools } from './worlds.ts'

test('descriptions keep their grades within the bytes of a list, and each that changed is graded again', async () => {
  const all = await listAllTools()
  const rows = gradesOf(all)
  const entries = Object.fromEntries(rows.flatMap(({ missing }) => missing))
  expect(entries, `Grade these, and put them into grades.json:\n${JSON.stringify(entries, null, 2)}`).toEqual({})
  const limits = { FileStorage: [4.4, 15_500], EventPipelineApi: [4.4, 11_500], IssueTracker: [4.1, 40_000] } as const
  for (const [server, [mean, bytes]] of Object.entries(limits)) {
    const own = JSON.stringify({ tools: all.filter(({ name }) => name.startsWith(`${server}_`)) })
    expect(Buffer.byteLength(own), server).toBeLessThanOrEqual(bytes)
    const { mean: reached, lowest } = summaryOf(rows, server)
    expect([reached >= mean, lowest >= 3.9], server).toEqual([true, true])
  }
  const share = (fact: number) => rows.filter(({ facts }) => Object.values(facts)[fact]).length / rows.length
  expect(Math.min(...[0, 1, 2, 3].map(share))).toBeGreaterThanOrEqual(0.7)
  await expect(`${gradesPage(rows)}\n`).toMatchFileSnapshot('./descriptions.md')
})
