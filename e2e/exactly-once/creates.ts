import { member } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Server } from '../../servers.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import type { Arguments, OpenVendor, Vendor } from '../../packages/testing/src/vendors/vendor.ts'
import type { ContentSource } from '../../packages/testing/src/processes/content-source.ts'

/** The means by which a repeat finds what the earlier call created. */
export type Recognition =
  | 'client id'
  | 'look and client id'
  | 'pre-generated id'
  | 'messageId'
  | 'row'
  | 'one for each URL'
  | 'session and revisions'
  | 'mark'
  | 'one for each grantee'
  | 'look before and after'

/** A call that creates something. */
export interface Create {
  readonly tool: string
  /** The call's variant, for tools with several. */
  readonly variant?: string
  /** The kind of thing that the call creates. */
  readonly things: string
  readonly recognizedBy: Recognition
  /** The arguments of a unique call, which contain `mark`. */
  readonly args: (mark: string, place: Place) => Arguments | Promise<Arguments>
}

/** The environment of a call. */
export interface Place {
  readonly vendor: OpenVendor
  readonly source: ContentSource
}

/** A server's tools that create something. */
export interface ServerCreates {
  readonly vendor: Vendor
  readonly server: Server
  readonly creates: readonly Create[]
}

const linearCreates: readonly Create[] = [
  {
    tool: 'CreateIssue',
    things: 'issue',
    recognizedBy: 'client id',
    args: (mark) => ({ team: 'ENG', title: mark, state: 'Todo', labels_to_add: ['Bug'] }),
  },
  {
    tool: 'CreateIssue',
    variant: 'with an attachment',
    things: 'issue, attachment',
    recognizedBy: 'client id',
    args: (mark) => ({ team: 'ENG', title: mark, attachment_url: `https://a.example/${mark}` }),
  },
  {
    tool: 'BatchCreateIssues',
    things: '50 issues, 2 attachments',
    recognizedBy: 'client id',
    args: (mark) => ({
      issues: Array.from({ length: 50 }, (_, row) => ({
        ...{ team: 'ENG', title: `${mark} ${row}`, assignee: 'none' },
        ...(row < 2 && { attachment_url: `https://a.example/${mark}/${row}` }),
      })),
    }),
  },
  {
    tool: 'BatchUpdateIssues',
    things: '50 attachments',
    recognizedBy: 'one for each URL',
    args: async (mark, { vendor }) => ({
      issues: (await fiftyIssues(vendor.fetch)).map((issue, row) => ({
        issue_id: issue,
        attachment_url: `https://a.example/${mark}/${row}`,
        attachment_title: `${mark} ${row}`,
      })),
    }),
  },
  {
    tool: 'UpdateIssue',
    variant: 'with an attachment',
    things: 'attachment',
    recognizedBy: 'one for each URL',
    args: (mark) => ({ issue_id: 'ENG-2', attachment_url: `https://a.example/${mark}`, attachment_title: mark }),
  },
  {
    tool: 'CreateIssueRelation',
    things: 'relation',
    recognizedBy: 'look and client id',
    args: async (mark, { vendor }) => ({ issue: 'ENG-4', related_issue: await newIssue(vendor.fetch, mark), relation_type: 'blocks' }),
  },
  {
    tool: 'LinkCodeHostToIssue',
    things: 'attachment',
    recognizedBy: 'look and client id',
    args: (mark) => ({ issue: 'ENG-1', code_host_url: `https://github.com/acme/${mark}/pull/12` }),
  },
  {
    tool: 'AddComment',
    things: 'comment',
    recognizedBy: 'client id',
    args: (mark) => ({ issue: 'ENG-1', body: mark }),
  },
  {
    tool: 'ReplyToComment',
    things: 'comment',
    recognizedBy: 'client id',
    args: (mark, { vendor }) => ({ ...vendor.calls['ReplyToComment'], body: mark }),
  },
  {
    tool: 'AttachFile',
    things: 'attachment',
    recognizedBy: 'look and client id',
    args: (mark) => ({ issue: 'ENG-1', content: 'zoom,tiles', file_name: `${mark}.csv` }),
  },
  {
    tool: 'AttachFile',
    variant: 'in a comment',
    things: 'comment',
    recognizedBy: 'look and client id',
    args: (mark) => ({ issue: 'ENG-1', content: 'zoom,tiles', file_name: `${mark}.csv`, comment: 'Seen today.' }),
  },
  {
    tool: 'CreateProject',
    things: 'project',
    recognizedBy: 'client id',
    args: (mark) => ({ name: mark, team: 'ENG', lead: 'Ada Okafor' }),
  },
  {
    tool: 'CreateProjectUpdate',
    things: 'project update',
    recognizedBy: 'client id',
    args: (mark) => ({ project_id: 'Trails launch', body: mark, health: 'onTrack' }),
  },
  {
    tool: 'CreateInitiative',
    things: 'initiative',
    recognizedBy: 'client id',
    args: (mark) => ({ name: mark }),
  },
  {
    tool: 'AddProjectToInitiative',
    things: 'link',
    recognizedBy: 'look and client id',
    args: async (mark, { vendor }) => ({ initiative: 'Launch Trails', project: await newProject(vendor.fetch, mark) }),
  },
  {
    tool: 'UpsertMilestone',
    things: 'milestone',
    recognizedBy: 'look and client id',
    args: (mark) => ({ project: 'Trails launch', name: mark, target_date: '2027-01-15' }),
  },
  {
    tool: 'AddProjectComment',
    things: 'comment',
    recognizedBy: 'client id',
    args: (mark) => ({ project: 'Trails launch', body: mark }),
  },
  {
    tool: 'ReplyToProjectComment',
    things: 'comment',
    recognizedBy: 'client id',
    args: (mark, { vendor }) => ({ ...vendor.calls['ReplyToProjectComment'], body: mark }),
  },
  {
    tool: 'CreateDocument',
    things: 'document',
    recognizedBy: 'client id',
    args: (mark) => ({ title: mark, project: 'Trails launch', content: mark }),
  },
  {
    tool: 'CreateProjectStatus',
    things: 'project status',
    recognizedBy: 'look and client id',
    args: (mark) => ({ name: mark, status_type: 'started' }),
  },
]

const driveCreates: readonly Create[] = [
  {
    tool: 'CreateFolder',
    things: 'folder',
    recognizedBy: 'pre-generated id',
    args: (mark) => ({ folder_name: mark, parent_folder_path_or_id: 'Team' }),
  },
  {
    tool: 'UploadFile',
    variant: 'in one request',
    things: 'file',
    recognizedBy: 'pre-generated id',
    args: (mark, { source }) => ({ file_name: mark, source_url: source.small, destination_folder_path_or_id: 'Team' }),
  },
  {
    tool: 'UploadFile',
    variant: 'in several parts',
    things: 'file',
    recognizedBy: 'pre-generated id',
    args: (mark, { source }) => ({ file_name: mark, source_url: source.large, destination_folder_path_or_id: 'Team' }),
  },
  {
    tool: 'WriteFile',
    variant: 'for a new file',
    things: 'file',
    recognizedBy: 'pre-generated id',
    args: (mark) => ({ file_name: mark, content: 'New.', destination_folder_path_or_id: 'Team' }),
  },
  {
    tool: 'WriteFile',
    variant: 'that appends',
    things: 'revision',
    recognizedBy: 'session and revisions',
    args: async (mark, { vendor }) => ({ file_path_or_id: await newFile(vendor.fetch, mark), append: 'Appended.' }),
  },
  {
    tool: 'WriteFile',
    variant: 'in place from a URL',
    things: 'revision',
    recognizedBy: 'session and revisions',
    args: async (mark, { vendor, source }) => ({ file_path_or_id: await newFile(vendor.fetch, mark), source_url: source.large }),
  },
  {
    tool: 'CopyFile',
    things: 'file',
    recognizedBy: 'pre-generated id',
    args: (mark) => ({ file_path_or_id: 'Team/Working agreement.md', new_filename: mark }),
  },
  {
    tool: 'CopyFile',
    variant: 'of a Google document',
    things: 'file',
    recognizedBy: 'mark',
    args: async (mark, { vendor }) => ({ file_path_or_id: await newFile(vendor.fetch, mark, googleDocument), new_filename: mark }),
  },
  {
    tool: 'ShareFile',
    things: 'permission, email',
    recognizedBy: 'look before and after',
    args: (mark) => ({ file_path_or_id: 'Team/Working agreement.md', email_addresses: [`${mark}@example.com`] }),
  },
  {
    tool: 'SetGeneralAccess',
    things: 'permission',
    recognizedBy: 'one for each grantee',
    args: async (mark, { vendor }) => ({ file_path_or_id: await newFile(vendor.fetch, mark), access: 'anyone', confirm: true }),
  },
]

const event = (tool: string, body: (mark: string) => object, things = 'event'): Create => ({
  tool,
  things,
  recognizedBy: 'messageId',
  args: (mark) => ({ mode: 'execute', request_body: JSON.stringify(body(mark)) }),
})

const pipelinesCreates: readonly Create[] = [
  event('TrackUserEvent', (userId) => ({ userId, event: 'Order Completed', properties: { total: 42 } })),
  event('IdentifyPersonAndAssignTraits', (userId) => ({ userId, traits: { plan: 'pro' } })),
  event('SendPageViewEvent', (userId) => ({ userId, name: 'Home', properties: { url: 'https://example.com/' } })),
  event('SendScreenViewEvent', (anonymousId) => ({ anonymousId, name: 'Start' })),
  event('AddToGroup', (userId) => ({ userId, groupId: 'g1', traits: { objectTypeId: '1' } })),
  event('AliasUserIdentity', (userId) => ({ userId, previousId: 'a1' })),
  event(
    'SendBatchRequests',
    (userId) => ({
      batch: [
        { type: 'identify', userId, traits: { plan: 'pro' } },
        { type: 'track', userId, event: 'Signed Up' },
      ],
    }),
    'events',
  ),
  {
    tool: 'SendEventsFromFile',
    things: '3 events',
    recognizedBy: 'row',
    args: (mark) => ({ call: 'track', text: ['userId,event', ...[1, 2, 3].map((row) => `${mark}-${row},Paid`)].join('\n') }),
  },
]

const creatingServer = (vendor: Vendor, creates: readonly Create[]): ServerCreates => ({ vendor, server: vendor.server, creates })

export const issueTrackerCreates = creatingServer(linear, linearCreates)
export const fileStorageCreates = creatingServer(drive, driveCreates)
export const eventPipelineCreates = creatingServer(pipelines, pipelinesCreates)

export const creatingServers: readonly ServerCreates[] = [issueTrackerCreates, fileStorageCreates, eventPipelineCreates]

export function titleOf({ tool, variant }: Create): string {
  return variant === undefined ? tool : `${tool} ${variant}`
}

const googleDocument = 'application/vnd.google-apps.document'

/** Creates a file before the call, and returns its id. */
async function newFile(fetch: Fetch, name: string, mimeType = 'text/plain'): Promise<string> {
  const response = await fetch('http://localhost/drive/v3/files', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${drive.secrets[0] ?? ''}` },
    body: JSON.stringify({ name, mimeType }),
  })
  return String(member(await response.json(), 'id'))
}

async function fiftyIssues(fetch: Fetch): Promise<readonly string[]> {
  const nodes = member(member(await graphql(fetch, '{ issues(first: 50) { nodes { identifier } } }'), 'issues'), 'nodes')
  return Array.isArray(nodes) ? nodes.map((issue) => String(member(issue, 'identifier'))) : []
}

/** Creates an issue in team ENG before the call, and returns its identifier. */
async function newIssue(fetch: Fetch, title: string): Promise<string> {
  const query = 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }'
  const data = await graphql(fetch, query, { title, teamId: await teamId(fetch) })
  return String(member(member(member(data, 'issueCreate'), 'issue'), 'identifier'))
}

/** Creates a project before the call, and returns its id. */
async function newProject(fetch: Fetch, name: string): Promise<string> {
  const query = 'mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id } } }'
  const data = await graphql(fetch, query, { name, teamIds: [await teamId(fetch)] })
  return String(member(member(member(data, 'projectCreate'), 'project'), 'id'))
}

async function teamId(fetch: Fetch): Promise<string> {
  const data = await graphql(fetch, '{ teams(filter: { key: { eq: "ENG" } }) { nodes { id } } }')
  const nodes = member(member(data, 'teams'), 'nodes')
  return Array.isArray(nodes) ? String(member(nodes[0], 'id')) : ''
}

async function graphql(fetch: Fetch, query: string, input: object = {}): Promise<unknown> {
  const response = await fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: linear.secrets[0] ?? '' },
    body: JSON.stringify({ query, variables: { input } }),
  })
  const answer: unknown = await response.json()
  const data = member(answer, 'data')
  if (data === null || data === undefined) throw new Error(`The vendor refused to prepare a call: ${JSON.stringify(answer)}`)
  return data
}
