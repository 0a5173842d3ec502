// The server registry: scripts, tests, benchmarks and docs take the names of servers, and the number of their tools, from here.
// It runs on a clone without dependencies, so it imports nothing that is installed, and loads definitions only for those that ask.
import { listedTools as eventPipelineTools } from './apps/event-pipeline/src/generated/tools.ts'
import { listedTools as fileStorageTools } from './apps/file-storage/src/generated/tools.ts'
import { listedTools as issueTrackerTools } from './apps/issue-tracker/src/generated/tools.ts'
import type { ServerDefinition } from './packages/server/src/index.ts'
import type { Distribution } from './scripts/distribution/types.ts'

/** A call that the embedded default answers. */
export interface Sample {
  /** The name of the tool, without prefix. */
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Effect of the call, after the name of the tool. */
  readonly description: string
}

interface Entry {
  /** The folder in `apps`, the name on npm without scope, and the command without `-mcp`. */
  readonly name: string
  /** Text before the name of each tool. */
  readonly prefix: string
  /** The name of the emulator of its vendor on npm, without scope. */
  readonly emulator: string
  /** The port of `npm start`, when it is free. */
  readonly port: number
  /** The most that `tools/list` may answer, in bytes: clients silently drop a list over 50 KB, and models read all of it. */
  readonly maxListBytes: number
  /** A call that reads. `npm start` shows it, and the tests of releases make it and `write`. */
  readonly read: Sample
  /** A call that writes; absent for a server that only reads. */
  readonly write?: Sample
  /** Loads the definition of the server and calls a function with it. */
  readonly withDefinition: <Result>(use: UseDefinition<Result>) => Promise<Result>
}

type UseDefinition<Result> = <Context>(definition: ServerDefinition<Context>, distribution: Distribution) => Promise<Result>

export interface Server extends Entry {
  readonly packageName: string
  readonly command: string
  /** The folder of the emulator, from the root. */
  readonly emulatorFolder: string
  /** Answer of `tools/list`, without prefix. */
  readonly tools: readonly { readonly name: string; readonly effect: string }[]
}

const server = (entry: Entry, tools: Server['tools']): Server => ({
  ...entry,
  tools,
  packageName: `@mcp-toolkits/${entry.name}`,
  command: `${entry.name}-mcp`,
  emulatorFolder: `packages/emulators/${entry.emulator.replace('-emulator', '')}`,
})

export const eventPipeline = server(
  {
    name: 'event-pipeline',
    prefix: 'EventPipelineApi',
    emulator: 'pipelines-emulator',
    port: 3001,
    maxListBytes: 11_500,
    read: { tool: 'AddToGroup', arguments: { mode: 'get_request_schema' }, description: 'describes the body of a request' },
    write: {
      tool: 'TrackUserEvent',
      arguments: {
        mode: 'execute',
        enable_strict_validation: 'True',
        request_body: JSON.stringify({ userId: 'ada@example.com', event: 'Order Completed', properties: { total: 42 } }),
      },
      description: 'records an event after strict validation',
    },
    withDefinition: async (use) => {
      const { eventPipeline } = await import('./apps/event-pipeline/src/server.ts')
      return use(eventPipeline, (await import('./apps/event-pipeline/distribution.ts')).distribution)
    },
  },
  eventPipelineTools,
)

export const issueTracker = server(
  {
    name: 'issue-tracker',
    prefix: 'IssueTracker',
    emulator: 'linear-emulator',
    port: 3002,
    maxListBytes: 40_000,
    read: {
      tool: 'ListIssues',
      arguments: { team: 'ENG', assignee: '@me', limit: 2 },
      description: 'lists the issues of a team by its name, in one request',
    },
    write: { tool: 'CreateIssue', arguments: { team: 'ENG', title: 'Invitations expire too early' }, description: 'creates an issue' },
    withDefinition: async (use) => {
      const { issueTracker } = await import('./apps/issue-tracker/src/server.ts')
      return use(issueTracker, (await import('./apps/issue-tracker/distribution.ts')).distribution)
    },
  },
  issueTrackerTools,
)

export const fileStorage = server(
  {
    name: 'file-storage',
    prefix: 'FileStorage',
    emulator: 'drive-emulator',
    port: 3003,
    maxListBytes: 15_500,
    read: {
      tool: 'SearchFiles',
      arguments: { query: 'launch', folder_path_or_id: 'Trails launch', limit: 1 },
      description: 'searches a folder by its path, in one request however deep it is',
    },
    write: { tool: 'CreateFolder', arguments: { folder_name: 'New' }, description: 'creates a folder' },
    withDefinition: async (use) => {
      const { fileStorage } = await import('./apps/file-storage/src/server.ts')
      return use(fileStorage, (await import('./apps/file-storage/distribution.ts')).distribution)
    },
  },
  fileStorageTools,
)

export const servers: readonly Server[] = [eventPipeline, issueTracker, fileStorage]
