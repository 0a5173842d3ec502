import { isFull } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

const change = 'mutation Change($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }'

interface Page {
  readonly issues: readonly { readonly identifier: string }[]
  readonly pagination: { readonly has_more: boolean; readonly end_cursor: string | null }
}

const count = isFull ? 20_000 : 2_000

test(`lists ${count} issues without gaps or duplicates while others are created and changed`, { timeout: 300_000 }, async () => {
  await using server = await workspace({ emulated: { seed: 'empty' } })
  server.emulator.addIssues(count)
  const before = server.emulator.store.issues().map(({ identifier }) => String(identifier))
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: Page = Object.assign(
      { issues: [], pagination: { has_more: false, end_cursor: null } },
      await server.call('IssueTracker.ListIssues', { limit: 50, end_cursor: cursor }),
    )
    seen.push(...page.issues.map(({ identifier }) => identifier))
    cursor = page.pagination.end_cursor
    if (seen.length % (count / 4) === 0) {
      server.emulator.addIssues(5)
      // The issue at the cursor, and one that comes much later.
      for (const id of [seen.at(-1), before[0]]) await server.mutate(change, { id, input: { title: 'Changed' } })
    }
  } while (cursor !== null)
  expect(new Set(seen).size).toBe(seen.length)
  expect(before.filter((id) => !new Set(seen).has(id))).toEqual([])
  expect(server.requests()).toBe(Math.ceil(seen.length / 50))
})
