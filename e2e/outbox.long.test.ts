import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { expect, onTestFinished, test } from 'vitest'
import { run, start } from './command.ts'
import { connectServer, trackArguments } from './driver.ts'

const track = 'EventPipelineApi_TrackUserEvent'
const ids = Array.from({ length: 100 }, (_, index) => `m-${index}`)

/** A vendor, a data directory, and an outbox with a hundred events that the vendor asked to send later. */
async function outboxOfAHundred(personOf: (id: string) => string) {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'k' })
  const listening = await emulator.listen()
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(async () => {
    await listening.close()
    await emulator.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })
  const environment = {
    EVENT_PIPELINE_API_KEY: 'k',
    EVENT_PIPELINE_API_URL: `${listening.url}/v1`,
    MCP_TOOLKITS_DATA_DIR: dataDirectory,
  }
  emulator.faults.add({ match: { path: '/v1/track' }, times: ids.length, action: { kind: 'status', status: 429, retry_after: 30 } })
  const server = await connectServer(environment)
  for (const id of ids) {
    expect(await server.call(track, trackArguments({ userId: personOf(id), event: 'E', messageId: id }))).toMatchObject({
      outcome: 'queued',
    })
  }
  await server.close()
  emulator.reset()
  // Excludes the strict requests that confirm the key.
  const requests = () => emulator.store.requests().filter(({ strict }) => !strict).length
  const events = () => emulator.store.events().filter(({ outcome }) => outcome !== 'refused')
  return { emulator, environment, requests, events }
}

test('two processes on one data directory deliver one outbox, and no event is sent twice', async () => {
  const { environment, requests, events } = await outboxOfAHundred((id) => id)
  const reports = await Promise.all([run(['outbox', 'retry'], { environment }), run(['outbox', 'retry'], { environment })])
  expect(reports.some(({ code }) => code === 0)).toBe(true)
  await expect.poll(() => events().length).toBe(ids.length)
  expect(events().map(({ outcome }) => outcome)).toEqual(ids.map(() => 'accepted'))
  expect(requests()).toBe(ids.length)
  expect((await run(['outbox', 'list'], { environment })).output).toContain('No events are waiting in the outbox.')
})

test('when the delivering process dies, the next one continues with the oldest entry about a person', async () => {
  const { emulator, environment, requests, events } = await outboxOfAHundred(() => 'ada')
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'hang' } })
  const first = start(['outbox', 'retry'], environment)
  await expect.poll(() => requests()).toBe(1)
  first.kill('SIGKILL')
  expect((await run(['outbox', 'retry'], { environment })).code).toBe(0)
  expect(events().map(({ message_id: id }) => id)).toEqual(ids)
})
