import { connect, type Connected, type ConnectSettings } from '@mcp-toolkits/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { eventPipeline } from '../src/server.ts'

type Emulator = ReturnType<typeof pipelinesEmulator>

export interface Pipeline extends Connected {
  readonly emulator: Emulator
}

const key = 'test-key'

/** The server with an account at a vendor that is our emulator. */
export async function pipeline({ environment, ...settings }: ConnectSettings = {}): Promise<Pipeline> {
  const emulator = pipelinesEmulator({ key })
  const connected = await connect(eventPipeline, {
    fetch: emulator.fetch,
    environment: { EVENT_PIPELINE_API_KEY: key, ...environment },
    ...settings,
  })
  return {
    ...connected,
    emulator,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

/** Arguments of an execution; anything but text is stringified. */
export function execution(body: unknown, rest: Record<string, unknown> = {}): Record<string, unknown> {
  return { mode: 'execute', request_body: typeof body === 'string' ? body : JSON.stringify(body), ...rest }
}

/** What tells the seven tools apart, as the specification has it. */
export const endpoints = [
  { tool: 'EventPipelineApi_IdentifyPersonAndAssignTraits', call: 'identify', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_TrackUserEvent', call: 'track', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_SendPageViewEvent', call: 'page', parameter: 'enable_strict_mode', enabling: '1' },
  { tool: 'EventPipelineApi_SendScreenViewEvent', call: 'screen', parameter: 'enable_strict_validation', enabling: '1' },
  { tool: 'EventPipelineApi_AddToGroup', call: 'group', parameter: 'enable_strict_validation', enabling: '1' },
  { tool: 'EventPipelineApi_AliasUserIdentity', call: 'alias', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_SendBatchRequests', call: 'batch', parameter: 'enable_strict_mode', enabling: 'True' },
] as const

/** A body of each call that has nothing wrong with it. */
export const goodBodies: Readonly<Record<(typeof endpoints)[number]['call'], Record<string, unknown>>> = {
  identify: { userId: 'u1', traits: { email: 'ada@example.com', plan: 'pro' } },
  track: { userId: 'u1', event: 'Order Completed', properties: { total: 42 } },
  page: { userId: 'u1', name: 'Home', properties: { url: 'https://example.com/' } },
  screen: { anonymousId: 'a1', name: 'Start' },
  group: { userId: 'u1', groupId: 'g1', traits: { objectTypeId: '1' } },
  alias: { userId: 'u1', previousId: 'a1' },
  batch: {
    batch: [
      { type: 'identify', userId: 'u1', traits: { plan: 'pro' } },
      { type: 'track', userId: 'u1', event: 'Signed Up' },
    ],
  },
}
