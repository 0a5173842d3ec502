import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { printable } from '@mcp-toolkits/core/errors'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { runCommand } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { execution, goodBodies } from './pipeline.ts'

/** Runs the server's command on a new data directory. */
async function command(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'command-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return runCommand(eventPipeline, args, { HOME: directory, MCP_TOOLKITS_DATA_DIR: directory, ...environment })
}

test('rejects --profile, and ignores its variable, because there is no login', async () => {
  const refused = await command(['status', '--profile', 'work'])
  expect(refused.code).toBe(2)
  expect(refused.errors).toContain('--profile is only for servers that people sign in to.')
  const { code, output } = await command(['status'], { MCP_TOOLKITS_PROFILE: 'work' })
  expect(code).toBe(0)
  expect(output).not.toContain('work')
  expect(await readFile(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')).not.toContain('MCP_TOOLKITS_PROFILE')
})

test('tells the caller how to send a queued event without a server, and `outbox retry` sends it', async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const { url } = await emulator.listen({ port: 0 })
  onTestFinished(() => emulator.close())
  const directory = await mkdtemp(path.join(tmpdir(), 'command-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key', EVENT_PIPELINE_API_URL: `${url}/v1`, MCP_TOOLKITS_DATA_DIR: directory }
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status: 429, retry_after: 600 } })
  const called = await command(['call', 'TrackUserEvent', JSON.stringify(execution(goodBodies.track))], environment)
  expect(called.output).toContain('A server with this data directory will send it, or `outbox retry` sends it now. Do not send it again.')
  const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/.source
  expect((await command(['outbox', 'list'], environment)).output).toMatch(
    new RegExp(`^1  waiting  track  1 round of up to \\d tries  next attempt ${moment}  stored ${moment}  `),
  )
  const accepted = () => emulator.store.events().filter(({ outcome }) => outcome === 'accepted').length
  expect(accepted()).toBe(0)
  expect(await command(['outbox', 'retry'], environment)).toMatchObject({ code: 0, output: '1  delivered\n' })
  expect(accepted()).toBe(1)
})

test('prints an outbox without its key and without terminal control characters, but its JSON without loss', async () => {
  const key = 'canary-key-0123456789'
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  const { url } = await emulator.listen({ port: 0 })
  onTestFinished(() => emulator.close())
  const directory = await mkdtemp(path.join(tmpdir(), 'command-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const environment = { EVENT_PIPELINE_API_KEY: key, EVENT_PIPELINE_API_URL: `${url}/v1`, MCP_TOOLKITS_DATA_DIR: directory }
  const said = `No ${key}, ${Buffer.from(`${key}:`).toString('base64')}\u202E\u009B2J`
  emulator.faults.add({ action: { kind: 'status', status: 400, body: { meta: { error: said } } } })
  const messageId = 'id\u202E\n1'
  const event = execution({ ...goodBodies.track, messageId }, { enable_strict_validation: 'True' })
  const printed = [await command(['call', 'TrackUserEvent', JSON.stringify(event)], environment)]
  for (const words of [['outbox', 'list'], ['outbox', 'list', '--json'], ['status']]) printed.push(await command(words, environment))
  const [called, list, json] = printed
  expect(called?.errors).toContain('[secret]')
  expect(list?.output).toContain(String.raw`id\u{202E}\u{A}1`)
  expect(JSON.parse(json?.output ?? '')).toMatchObject({ entries: [{ message_ids: [messageId] }] })
  for (const { output, errors } of printed) {
    expect(output + errors).not.toMatch(/canary|Y2FuYXJ5/)
    expect(printable(output + errors)).toBe(output + errors)
  }
})
