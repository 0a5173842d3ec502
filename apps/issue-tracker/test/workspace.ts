import type { Fetch } from '@mcp-toolkits/core/upstream'
import { withToolsets } from '@mcp-toolkits/server/mcp'
import { linearEmulator, type LinearEmulatorOptions } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectedServer, type ConnectSettings } from '@mcp-toolkits/testing'
import { expect } from 'vitest'
import { issueTracker } from '../src/server.ts'

export interface Workspace extends ConnectedServer {
  readonly emulator: ReturnType<typeof linearEmulator>
  /** Changes the workspace without the server, by one of Linear's mutations. */
  readonly mutate: (mutation: string, variables: Readonly<Record<string, unknown>>) => Promise<void>
  /** Counts requests that have reached Linear. */
  readonly requests: () => number
}

const apiKey = 'lin_api_test'

export interface WorkspaceOptions extends ConnectSettings {
  readonly emulated?: Omit<LinearEmulatorOptions, 'apiKey'>
  /** Responds in place of the emulator. */
  readonly vendor?: Fetch
  /** Sees the document of every request. */
  readonly seen?: (document: string) => void
}

/** The server with an account in our Linear emulator. */
export async function workspace({ emulated, vendor, seen, ...settings }: WorkspaceOptions = {}): Promise<Workspace> {
  const emulator = linearEmulator({ seed: 'edge-cases', ...emulated, apiKey })
  let sent = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    sent += 1
    const request = new Request(input, init)
    if (seen) seen(documentIn(await request.clone().text()))
    return (vendor ?? emulator.fetch)(request, init)
  }
  const connected = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: apiKey }, ...settings })
  return {
    ...connected,
    emulator,
    async call(name, args) {
      const result = await connected.call(name, args)
      await checkResult(name, result)
      return result
    },
    requests: () => sent,
    async mutate(mutation, variables) {
      const response = await emulator.fetch('http://localhost/graphql', {
        method: 'POST',
        headers: { authorization: apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query: mutation, variables }),
      })
      const text = await response.text()
      if (text.includes('"errors"')) throw new Error(`The emulator refused: ${text}`)
    },
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

/** The listed schema omits a lot, so a result is checked against the tool's full output schema, and must contain nothing else. */
async function checkResult(name: string, result: Readonly<Record<string, unknown>>): Promise<void> {
  const tools = await (await withToolsets(issueTracker, { toolsets: ['all'] })).load.tools()
  const tool = tools.find((each) => name.endsWith(each.name) && name.length === `${issueTracker.prefix}.${each.name}`.length)
  // Any result may have notices.
  const { notices, ...data } = result
  expect(data, `the result of ${name}`).toEqual(tool?.output.parse(data))
  expect(Array.isArray(notices ?? []), `the notices of ${name}`).toBe(true)
}

function documentIn(body: string): string {
  const { query }: { query: string } = Object.assign({ query: '' }, parsed(body))
  return query
}

function parsed(json: string): unknown {
  return JSON.parse(json)
}
