import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { basicAuthorization, Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connectLibrary } from '@mcp-toolkits/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer, type ServerOptions } from '../src/index.ts'
import { acceptingKeys } from './pipeline.ts'

const pipelines = pipelinesEmulator({ seed: 'empty', apiKey: 'key-of-anna' })
const open = (options: ServerOptions) =>
  connectLibrary((fetch) => createServer({ dataDirectory, ...options, fetch: acceptingKeys(fetch) }), pipelines.fetch)
const basic = (key: string) => basicAuthorization(new Secret(key))
const event = { mode: 'execute', request_body: '{"userId":"ada","event":"Order Completed"}' }

let dataDirectory = ''
beforeAll(async () => {
  dataDirectory = await mkdtemp(path.join(tmpdir(), 'library-'))
})
afterAll(() => rm(dataDirectory, { recursive: true }))

test.for<[ServerOptions, string]>([
  [{ apiKey: 'key-of-anna' }, 'https://cdp.customer.io/v1/track'],
  [{ apiKey: 'key-of-anna', region: 'eu' }, 'https://cdp-eu.customer.io/v1/track'],
  [{ apiKey: 'key-of-anna', apiUrl: 'https://events.example/v1' }, 'https://events.example/v1/track'],
])('sends events of %j to %s', async ([options, url]) => {
  await using server = await open(options)
  expect(await server.call('EventPipelineApi_TrackUserEvent', event)).toContain('"outcome":"delivered"')
  expect(server.requests).toEqual([`POST ${url} ${basic('key-of-anna')}`])
})

test('keeps the accounts of two servers with one outbox apart', async () => {
  await using anna = await open({ apiKey: 'key-of-anna' })
  await using ben = await open({ apiKey: 'key-of-ben' })
  const [hers, his] = await Promise.all(
    [anna, ben].map((server) => server.call('EventPipelineApi_TrackUserEvent', { ...event, enable_strict_validation: 'True' })),
  )
  expect(hers).toContain('"outcome":"delivered"')
  expect(his).toContain('"code":"unauthenticated"')
  expect(his).not.toMatch(/EVENT_PIPELINE|event-pipeline-mcp|key-of/)
  expect(anna.requests).toEqual([`POST https://cdp.customer.io/v1/track ${basic('key-of-anna')}`])
  expect(ben.requests).toEqual([`POST https://cdp.customer.io/v1/track ${basic('key-of-ben')}`])
})

test('adds ids unless the program turns that off', async () => {
  await using server = await open({ apiKey: 'key-of-anna', addIds: false })
  await server.call('EventPipelineApi_TrackUserEvent', event)
  expect(pipelines.store.requests().at(-1)?.body).toBe(event.request_body)
})
