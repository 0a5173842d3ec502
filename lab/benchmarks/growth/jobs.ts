// Calls whose cost could depend on the amount of data, each with a small and a large amount.
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import { eventPipeline, fileStorage, issueTracker } from '../../../servers.ts'
import { openUpstream } from '../upstream.ts'

const limits = { requests: 1e9, points: 1e12 }

export const vendors = {
  linear: {
    server: issueTracker.name,
    open: (size: number) => {
      const emulator = linearEmulator({ seed: 'edge-cases', limits })
      emulator.addIssues(size)
      return openUpstream(emulator)
    },
    environment: (url: string) => ({ ISSUE_TRACKER_API_URL: `${url}/graphql`, ISSUE_TRACKER_API_KEY: 'lin_api_emulator' }),
  },
  drive: {
    server: fileStorage.name,
    open: (size: number) => {
      const emulator = driveEmulator({ seed: 'edge-cases' })
      emulator.addFiles(size)
      return openUpstream(emulator)
    },
    environment: (url: string) => ({ FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: 'drive-emulator' }),
  },
  pipelines: {
    server: eventPipeline.name,
    open: () => openUpstream(pipelinesEmulator({ seed: 'empty' })),
    environment: (url: string) => ({ EVENT_PIPELINE_API_URL: `${url}/v1`, EVENT_PIPELINE_API_KEY: 'pipelines-emulator' }),
  },
} as const

export interface Job {
  readonly job: string
  readonly vendor: keyof typeof vendors
  readonly unit: string
  readonly few: number
  readonly many: number
  readonly tool: string
  /** The arguments of a call, by its number and the amount of data. */
  readonly args: (number: number, size: number) => object
}

const issues = { vendor: 'linear', unit: 'issues', few: 1_000, many: 100_000 } as const
const files = { vendor: 'drive', unit: 'files', few: 1_000, many: 100_000 } as const

/** A batch of events, as the body of a call. */
export const batchOf = (count: number, number: number) =>
  JSON.stringify({
    batch: Array.from({ length: count }, (_, index) => ({
      ...{ type: 'track', userId: `user ${index}`, event: 'Order Completed', properties: { order: `${number}-${index}`, total: 49.9 } },
    })),
  })

export const jobs: readonly Job[] = [
  { ...issues, job: 'list of 50 issues', tool: 'IssueTracker_ListIssues', args: () => ({ limit: 50 }) },
  { ...issues, job: 'one issue by its identifier', tool: 'IssueTracker_GetIssue', args: (number) => ({ issue_id: `ENG-${number + 40}` }) },
  { ...issues, job: 'a new issue', tool: 'IssueTracker_CreateIssue', args: (number) => ({ team: 'ENG', title: `Measured ${number}` }) },
  {
    ...{ ...files, job: 'search in a folder, by its path', tool: 'FileStorage_SearchFiles' },
    args: () => ({ query: 'item', folder_path_or_id: '/Folder 0', limit: 50 }),
  },
  { ...files, job: 'search for a rare word', tool: 'FileStorage_SearchFiles', args: () => ({ query: 'prices', limit: 20 }) },
  {
    ...{ ...files, job: 'content of a file by its path', tool: 'FileStorage_DownloadFile' },
    args: (number) => ({ file_path_or_id: `/Folder 0/Item ${Math.max(1, number)}.txt` }),
  },
  {
    ...{ vendor: 'pipelines', unit: 'events', few: 10, many: 1_000, job: 'a batch of events', tool: 'EventPipelineApi_SendBatchRequests' },
    args: (number, size) => ({ mode: 'execute', request_body: batchOf(size, number) }),
  },
]

const text = (bytes: number) => 'lorem ipsum '.repeat(bytes / 12)

/** Calls with large arguments, during which no other client gets an answer. */
export const largeCalls: readonly (Pick<Job, 'vendor' | 'tool'> & { readonly call: string; readonly args: (bytes: number) => object })[] = [
  {
    ...{ call: 'an issue with a long text', vendor: 'linear', tool: 'IssueTracker_CreateIssue' },
    args: (bytes) => ({ team: 'ENG', title: 'Long', description: text(bytes) }),
  },
  {
    ...{ call: 'an issue with many labels', vendor: 'linear', tool: 'IssueTracker_CreateIssue' },
    args: (bytes) => ({ team: 'ENG', title: 'Many', labels_to_add: Array.from({ length: bytes / 16 }, (_, index) => `label ${index}`) }),
  },
  {
    ...{ call: 'a batch of events as text', vendor: 'pipelines', tool: 'EventPipelineApi_SendBatchRequests' },
    args: (bytes) => ({ mode: 'execute', request_body: batchOf(bytes / 150, 0) }),
  },
]
