import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { calls } from './calls.ts'
import { initiativeCalls, projectCalls } from './project-calls.ts'
import { issueCalls } from './writing-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const writing = issueTracker.listedTools.filter(({ effect }) => effect !== 'read').map(({ name }) => name)
const kinds = { issues: issueCalls, projects: projectCalls, initiatives: initiativeCalls }
const allCalls = (server: Workspace) => Object.values(kinds).flatMap((callsOf) => callsOf(server))

test('has a call for every tool that writes', async () => {
  await using server = await workspace()
  expect([...new Set(allCalls(server).map(({ tool }) => tool))].toSorted()).toEqual(writing.toSorted())
  expect(writing.length).toBeGreaterThan(15)
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
  await using server = await workspace({ readOnly: true })
  const { tools } = await server.client.listTools()
  expect(tools.map(({ name }) => name.replace('_', '.'))).toEqual(calls.map(([tool]) => `IssueTracker.${tool}`))
  for (const [tool, args] of calls) await server.call(`IssueTracker.${tool}`, await args(server))
  const sent = server.requests()
  for (const { tool, args } of allCalls(server)) {
    await expect(server.result(`IssueTracker.${tool}`, args)).rejects.toThrow('Unknown tool')
  }
  expect([server.requests() - sent, server.emulator.store.mutations()]).toEqual([0, []])
})
