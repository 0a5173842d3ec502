import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

const groups = await Promise.all(Object.values(issueTracker.toolsets ?? {}).map(({ tools }) => tools()))
const tools = groups.flatMap((group) => group.tools)

/** Numbers of requests for tools that are exceptions: content is fetched or uploaded separately, and a comment already has an id. */
const others: Readonly<Record<string, number>> = { AttachFile: 4, ReadAttachment: 2, ResolveComment: 1 }

test.for(tools)('$name takes the requests of its kind: one to read, two to look up and write', async ({ name, effect, example }) => {
  await using server = await workspace({ toolsets: ['all'], emulated: { seed: 'company' } })
  await server.call(`IssueTracker.${name}`, { ...example })
  expect(server.requests()).toBe(others[name] ?? (effect === 'read' ? 1 : 2))
})

test('SearchIssues takes one more request if a name does not match', async () => {
  await using server = await workspace({ toolsets: ['triage'], emulated: { seed: 'company' } })
  await server.fails('IssueTracker.SearchIssues', { assignee: 'Ada Okafo', states: ['In Progres'], labels: ['Bgu'] })
  expect(server.requests()).toBe(2)
})
