import { linearEmulator, type LinearEmulatorOptions } from '@mcp-toolkits/linear-emulator'
import { connect, type Connected, type ConnectSettings } from '@mcp-toolkits/testing'
import { issueTracker } from '../src/server.ts'

export interface Workspace extends Connected {
  readonly emulator: ReturnType<typeof linearEmulator>
  /** How many requests have reached Linear. */
  readonly requests: () => number
}

const apiKey = 'lin_api_test'

export interface WorkspaceOptions extends ConnectSettings {
  readonly emulated?: Omit<LinearEmulatorOptions, 'apiKey'>
  /** Sees the document of every request. */
  readonly seen?: (document: string) => void
}

/** The server with an account at a Linear that is our emulator. */
export async function workspace({ emulated, seen, ...settings }: WorkspaceOptions = {}): Promise<Workspace> {
  const emulator = linearEmulator({ ...emulated, apiKey })
  let sent = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    sent += 1
    const request = new Request(input, init)
    if (seen) seen(documentIn(await request.clone().text()))
    return emulator.fetch(request, init)
  }
  const connected = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: apiKey }, ...settings })
  return {
    ...connected,
    emulator,
    requests: () => sent,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

function documentIn(body: string): string {
  const { query }: { query: string } = Object.assign({ query: '' }, parsed(body))
  return query
}

function parsed(json: string): unknown {
  return JSON.parse(json)
}
