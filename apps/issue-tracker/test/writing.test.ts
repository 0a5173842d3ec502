import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { calls, forExamples } from './calls.ts'
import { initiativeCalls, projectCalls } from './project-calls.ts'
import { issueCalls } from './writing-calls.ts'
import { workspace } from './workspace.ts'

const writing = (await issueTracker.load.tools()).filter(({ effect }) => effect !== 'read')
const kinds = { issues: issueCalls, projects: projectCalls, initiatives: initiativeCalls }

test.for(writing)('the example of $name changes something', async ({ name, example }) => {
  await using server = await workspace(forExamples)
  await server.call(`IssueTracker.${name}`, { ...example })
  expect(server.emulator.store.mutations()).not.toEqual([])
})

test.for(Object.entries(kinds))('%s: a write costs the requests in the table and changes what it says', async ([, callsOf]) => {
  await using server = await workspace()
  for (const { tool, args, requests, writes } of callsOf(server)) {
    const [sent, changes] = [server.requests(), server.emulator.store.mutations().length]
    await server.call(`IssueTracker.${tool}`, args)
    const wrote = server.emulator.store.mutations().length > changes
    expect([tool, args, server.requests() - sent, wrote]).toEqual([tool, args, requests, writes !== false])
  }
})

test('with --read-only, no listed tool changes anything and writing tools are unknown', async () => {
  await using server = await workspace({ ...forExamples, readOnly: true })
  const { tools } = await server.client.listTools()
  expect(tools.map(({ name }) => name.replace('_', '.'))).toEqual(calls.map(([tool]) => `IssueTracker.${tool}`))
  for (const [tool, args] of calls) await server.call(`IssueTracker.${tool}`, args)
  const sent = server.requests()
  for (const { name, example } of writing)
    await expect(server.result(`IssueTracker.${name}`, { ...example })).rejects.toThrow('Unknown tool')
  expect([server.requests() - sent, server.emulator.store.mutations()]).toEqual([0, []])
})
