// The calls whose time is divided between us and the vendor.
import { eventPipeline, fileStorage, issueTracker, type Server } from '../../../servers.ts'

/** The arguments of a call; `index` makes what is created distinct. */
type Arguments = (index: number) => Readonly<Record<string, unknown>>

export interface TimedServer {
  readonly server: Server
  /** The variables with which the server uses a vendor at this address. */
  readonly environment: (url: string) => Readonly<Record<string, string>>
  /** The arguments of each tool, by its name without prefix. */
  readonly tools: Readonly<Record<string, Arguments>>
}

const event = (body: object) => ({ mode: 'execute', request_body: JSON.stringify(body) })
const strict = (body: object) => ({ ...event(body), enable_strict_validation: 'True' })
const person = (index: number) => ({ userId: `person ${index}` })
const tracked = (index: number) => ({ ...person(index), event: 'Order Completed', properties: { total: 42 } })

const events: TimedServer = {
  server: eventPipeline,
  environment: (url) => ({ EVENT_PIPELINE_API_URL: `${url}/v1`, EVENT_PIPELINE_API_KEY: 'pipelines-emulator' }),
  tools: {
    IdentifyPersonAndAssignTraits: (index) => strict({ ...person(index), traits: { plan: 'pro' } }),
    TrackUserEvent: (index) => strict(tracked(index)),
    SendPageViewEvent: (index) => event({ ...person(index), name: 'Home', properties: { url: 'https://example.com/' } }),
    SendScreenViewEvent: (index) => strict({ ...person(index), name: 'Settings' }),
    AddToGroup: (index) => strict({ ...person(index), groupId: 'company', traits: { name: 'Company' } }),
    AliasUserIdentity: (index) => strict({ ...person(index), previousId: `visitor ${index}` }),
    SendBatchRequests: (index) => event({ batch: Array.from({ length: 100 }, () => ({ type: 'track', ...tracked(index) })) }),
  },
}

const issue = { issue_id: 'ENG-1' }
const title = (index: number) => `Written by the benchmark ${index}`

const issues: TimedServer = {
  server: issueTracker,
  environment: (url) => ({ ISSUE_TRACKER_API_URL: `${url}/graphql`, ISSUE_TRACKER_API_KEY: 'lin_api_emulator' }),
  tools: {
    ListIssues: () => ({ limit: 50 }),
    GetIssue: () => issue,
    CreateIssue: (index) => ({ team: 'ENG', title: title(index), description: 'Text.' }),
    UpdateIssue: (index) => ({ ...issue, title: title(index) }),
    TransitionIssueState: (index) => ({ ...issue, target_state: index % 2 === 0 ? 'In Progress' : 'Done' }),
    AddComment: (index) => ({ issue: 'ENG-1', body: title(index) }),
    ListProjects: () => ({ limit: 20 }),
    GetProject: () => ({ value: 'Sync reliability', lookup_by: 'name' }),
  },
}

const report = 'Work/Projects/2026/Expedition.txt'

const files: TimedServer = {
  server: fileStorage,
  environment: (url) => ({ FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: 'drive-emulator' }),
  tools: {
    SearchFiles: () => ({ query: 'report', limit: 20 }),
    GetFileTreeStructure: () => ({ limit: 100 }),
    DownloadFile: () => ({ file_path_or_id: report }),
    DownloadFileChunk: () => ({ file_path_or_id: report, start_byte: 0, chunk_size: 4096 }),
    CreateFolder: (index) => ({ folder_name: title(index), parent_folder_path_or_id: 'Work/Projects' }),
    RenameFile: (index) => ({ file_path_or_id: `Work/Drafts/draft ${index % 2}.txt`, new_filename: `draft ${(index + 1) % 2}.txt` }),
    MoveFile: (index) => ({
      source_file_path_or_id: `Work/${index % 2 === 0 ? 'Projects' : 'Drafts'}/moving.txt`,
      destination_folder_path_or_id: `Work/${index % 2 === 0 ? 'Drafts' : 'Projects'}`,
    }),
    WhoAmI: () => ({}),
  },
}

export const timedServers: readonly TimedServer[] = [events, issues, files]
