import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, connectTasks } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../../src/server.ts'

const apiKey = 'lin_api_test'
const titles = Array.from({ length: 20 }, (_, index) => `Task ${index}`)
const creating = ['IssueTracker_BatchCreateIssues', { issues: titles.map((title) => ({ team: 'ENG', title, assignee: 'none' })) }] as const
const changing = [
  'IssueTracker_BatchUpdateIssues',
  { issues: titles.map((title, index) => ({ issue_id: `ENG-${index + 1}`, title })) },
] as const
const batches = [
  ['creates', creating, { created: titles.length }, 'creating'],
  ['changes', changing, { updated: titles.length }, 'changing'],
] as const

/**
 * A server whose batch has become a task: Linear has carried out the mutation, but its response does not arrive until the test releases it.
 */
async function writing([tool, args]: typeof creating | typeof changing) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'tasks-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey })
  onTestFinished(() => emulator.close())
  const { promise: released, resolve } = Promise.withResolvers<undefined>()
  const { promise: written, resolve: write } = Promise.withResolvers<undefined>()
  const clock = new ManualClock()
  const start = async () => {
    const server = await connect(issueTracker, {
      ...{ dataDirectory, clock, toolsets: ['triage'], environment: { ISSUE_TRACKER_API_KEY: apiKey } },
      async fetch(input, init) {
        const request = new Request(input, init)
        const isMutation = (await request.clone().text()).includes('mutation')
        const response = await emulator.fetch(request)
        if (isMutation) write(undefined)
        if (isMutation) await released
        return response
      },
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    return { ...server, tasks: await connectTasks(server.fetch) }
  }
  const server = await start()
  const before = emulator.store.issues().length
  const beginning = server.tasks.begin(tool, args)
  await written
  await clock.advance(2_000)
  const titled = () => emulator.store.issues().filter(({ title }) => titles.includes(String(title))).length
  return {
    ...{ ...server, clock, start, titled, id: await beginning },
    added: () => emulator.store.issues().length - before,
    release: () => {
      resolve(undefined)
    },
  }
}

test.for(batches)('a batch that %s issues is a task, whose result is kept', async ([, batch, result]) => {
  const { tasks, id, release, start, titled } = await writing(batch)
  expect(await tasks.task(id).snapshot()).toMatchObject({ status: 'working' })
  release()
  await expect.poll(async () => (await tasks.task(id).snapshot()).status).toBe('completed')
  const other = await start()
  for (const client of [tasks, other.tasks])
    expect(await client.task(id).result()).toMatchObject({ status: 'completed', result: { structuredContent: result } })
  expect(titled()).toBe(titles.length)
})

test.for(batches)('the next process completes a batch that %s issues, without a client, and does it only once', async ([, batch]) => {
  const { id, close, release, start, titled, added } = await writing(batch)
  const closing = close()
  const { resume, tasks } = await start()
  await closing
  release()
  await resume()
  await expect.poll(async () => (await tasks.task(id).snapshot()).status).toBe('completed')
  expect(await tasks.task(id).result()).toHaveProperty('result.structuredContent.issues.length', titles.length)
  expect([titled(), added()]).toEqual([titles.length, batch === creating ? titles.length : 0])
})

test.for(batches)(
  'a batch that %s issues and is cancelled says what it has done, and the same call does nothing twice',
  async ([, batch, , doing]) => {
    const { tasks, id, release, titled, added } = await writing(batch)
    await tasks.task(id).cancel()
    await expect.poll(async () => (await tasks.task(id).snapshot()).status).toBe('cancelled')
    release()
    expect((await tasks.task(id).snapshot()).statusMessage).toBe(
      `Cancelled after 0 s, at: ${doing} 20 issues. What it had already written remains. The same call with the idempotency key ${id} continues it.`,
    )
    const execution = await tasks.session.callTool(batch[0], batch[1], { metadata: { 'mcp-toolkits/idempotency-key': id } })
    expect(await execution.result()).toHaveProperty('result.structuredContent.issues')
    expect([titled(), added()]).toEqual([titles.length, batch === creating ? titles.length : 0])
  },
)
