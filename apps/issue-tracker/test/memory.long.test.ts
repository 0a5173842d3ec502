import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { startServer } from './process.ts'

const Page = z.object({ issues: z.array(z.unknown()), pagination: z.object({ end_cursor: z.string().nullable() }) })

/** Less than half the size of the responses received in between. */
const allowance = 800_000

test('memory stays flat while 20,000 issues are paged through', { timeout: 120_000 }, async () => {
  const emulator = linearEmulator({ seed: 'empty', apiKey: 'k', limits: { requests: 1_000_000, points: 1_000_000_000 } })
  emulator.addIssues(20_000)
  const { url, close } = await emulator.listen()
  try {
    await using server = await startServer({ ISSUE_TRACKER_API_KEY: 'k', ISSUE_TRACKER_API_URL: `${url}/graphql` }, 64)
    let cursor: string | null = null
    let read = 0
    let characters = 0
    const heap: number[] = []
    do {
      const answer: unknown = await server.call('IssueTracker.ListIssues', { limit: 50, end_cursor: cursor })
      const { issues, pagination } = Page.parse(answer)
      read += issues.length
      if (heap.length > 0) characters += JSON.stringify(answer).length
      if (read % 5_000 === 0) heap.push(await server.heapUsed())
      cursor = pagination.end_cursor
    } while (cursor !== null)
    expect(read).toBe(20_000)
    expect(heap.length).toBe(4)
    expect(characters).toBeGreaterThan(2 * allowance)
    expect(Math.max(...heap) - Math.min(...heap), heap.join()).toBeLessThan(allowance)
  } finally {
    await close()
    await emulator.close()
  }
})
