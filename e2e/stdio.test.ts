import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'

const program = path.join(import.meta.dirname, '..', 'apps', 'event-pipeline', 'dist', 'main.js')
let dataDirectory = ''

beforeAll(() => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), 'e2e-'))
})
afterAll(() => {
  rmSync(dataDirectory, { recursive: true })
})

const bodies: Readonly<Record<string, object>> = {
  EventPipelineApi_IdentifyPersonAndAssignTraits: { userId: 'u1', traits: { plan: 'pro' } },
  EventPipelineApi_TrackUserEvent: { userId: 'u1', event: 'Paid' },
  EventPipelineApi_SendPageViewEvent: { userId: 'u1', name: 'Home' },
  EventPipelineApi_SendScreenViewEvent: { userId: 'u1', name: 'Start' },
  EventPipelineApi_AddToGroup: { userId: 'u1', groupId: 'g1' },
  EventPipelineApi_AliasUserIdentity: { userId: 'u1', previousId: 'a1' },
  EventPipelineApi_SendBatchRequests: { batch: [{ type: 'track', userId: 'u1', event: 'Paid' }] },
}

/** What the two generations of clients have in common, as far as this test goes. */
interface AnyClient {
  readonly names: () => Promise<string[]>
  readonly call: (name: string, args: Record<string, unknown>) => Promise<unknown>
  readonly close: () => Promise<void>
}

const command = () => ({ command: process.execPath, args: [program, '--embedded', '--data-dir', dataDirectory, '--log-level', 'error'] })

function current(mode: 'legacy' | 'auto' | { pin: string }) {
  return async (): Promise<AnyClient> => {
    const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport(command()))
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
      close: () => client.close(),
    }
  }
}

async function previous(): Promise<AnyClient> {
  const client = new V1Client({ name: 'e2e', version: '1' })
  await client.connect(new V1StdioClientTransport(command()))
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
    close: () => client.close(),
  }
}

test.for([
  ['client 2, 2026-07-28', current({ pin: '2026-07-28' })],
  ['client 2, auto', current('auto')],
  ['client 2, legacy', current('legacy')],
  ['client 1', previous],
] as const)('%s calls all tools of the built command over stdio', async ([, connect]) => {
  const client = await connect()
  expect(await client.names()).toEqual([
    'EventPipelineApi_IdentifyPersonAndAssignTraits',
    'EventPipelineApi_TrackUserEvent',
    'EventPipelineApi_SendPageViewEvent',
    'EventPipelineApi_SendScreenViewEvent',
    'EventPipelineApi_AddToGroup',
    'EventPipelineApi_AliasUserIdentity',
    'EventPipelineApi_SendBatchRequests',
  ])
  for (const [name, body] of Object.entries(bodies)) {
    expect(await client.call(name, { mode: 'get_request_schema' })).toMatchObject({ openapi: { openapi: '3.1.0' } })
    const result = await client.call(name.replace('_', '.'), { mode: 'execute', request_body: JSON.stringify(body) })
    expect(result).toMatchObject({ outcome: 'delivered', upstream: 'embedded: nothing left this machine' })
  }
  await client.close()
})
