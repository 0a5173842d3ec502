import type { PostgresStore } from '@mcp-toolkits/team/postgres'
import { connect, type ConnectSettings, isFull } from '@mcp-toolkits/testing'
import { runsPostgres, useReplicas } from '@mcp-toolkits/testing/postgres'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../src/server.ts'

const apiKey = 'lin_api_test'
const tool = 'IssueTracker.CreateIssueRelation'
const relation = { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }

/** Makes identical calls at once on several servers, and returns the numbers of relations created and of results that report a change. */
async function relateAtOnce(servers: readonly ConnectSettings[], calls: number): Promise<readonly [created: number, changed: number]> {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey })
  onTestFinished(async () => emulator.close())
  const before = emulator.store.relations().length
  const connected = await Promise.all(
    servers.map((settings) =>
      connect(issueTracker, { fetch: emulator.fetch, environment: { ISSUE_TRACKER_API_KEY: apiKey }, ...settings }),
    ),
  )
  const relate = async (index: number) => (await connected[index % connected.length]?.call(tool, relation))?.['changed']
  const changed = await Promise.all(Array.from({ length: calls }, (_, index) => relate(index)))
  await Promise.all(connected.map((server) => server[Symbol.asyncDispose]()))
  return [emulator.store.relations().length - before, changed.filter((each) => each === true).length]
}

const calls = isFull ? 100 : 20

test(`${calls} simultaneous calls for one relation in two processes on one machine create one`, async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'machine-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  expect(await relateAtOnce([{ dataDirectory }, { dataDirectory }], calls)).toEqual([1, 1])
})

describe.runIf(runsPostgres())('with a database', () => {
  const replicas = useReplicas()

  test(`${calls} simultaneous calls for one relation on three replicas create one`, async () => {
    const { start } = replicas()
    const stores: PostgresStore[] = [await start(), await start(), await start()]
    expect(
      await relateAtOnce(
        stores.map((shared) => ({ shared })),
        calls,
      ),
    ).toEqual([1, 1])
  })
})
