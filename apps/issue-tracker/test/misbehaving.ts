import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { workspace, type Workspace, type WorkspaceOptions } from './workspace.ts'

/** A workspace in a Linear that misbehaves as `vendor` says, once that is set. */
export async function misbehaving(
  variables: Readonly<Record<string, string>> = {},
  { emulated = { seed: 'edge-cases' }, ...settings }: Pick<WorkspaceOptions, 'emulated' | 'toolsets'> = {},
): Promise<Workspace & { vendor: ((request: Request) => Promise<Response>) | undefined }> {
  const environment = { ISSUE_TRACKER_API_KEY: 'lin_api_test', ...variables }
  const emulator = linearEmulator({ ...emulated, apiKey: environment.ISSUE_TRACKER_API_KEY })
  const state: { vendor: ((request: Request) => Promise<Response>) | undefined } = { vendor: undefined }
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    return state.vendor ? state.vendor(request) : emulator.fetch(request)
  }
  return Object.assign(state, await workspace({ ...settings, clock: new ManualClock(), vendor: fetch, environment }), { emulator })
}
export type Misbehaving = Awaited<ReturnType<typeof misbehaving>>

export function parsed(json: string): unknown {
  return JSON.parse(json)
}
