import { member } from '@mcp-toolkits/core/base'
import type { KnownPerson } from '../people/identity-provider/identity-provider.ts'
import type { Call } from '../cluster/client.ts'
import { openGoogle, openLinear, openPipelines, type OpenCompanyVendor } from './vendors.ts'

/** Work of people with one server. */
export interface Work {
  /** The name of the app. */
  readonly app: string
  readonly openVendor: OpenCompanyVendor
  /** Names the caller, if the vendor knows that. */
  readonly whoAmI: Call
  /** The address in its result; undefined if the vendor says nothing about people. */
  readonly emailIn?: (data: unknown) => string
  /** Makes something with `title`. */
  readonly create: (title: string) => Call
  /**
   * Reads the things that the person has made; everything in the result has the mark of its maker. Undefined if nothing can be read back.
   */
  readonly readOwn?: Call
}

/** Mark in the title of everything that a person makes. */
export const markOf = ({ subject }: KnownPerson): string => `mark-of-${subject}`

export const tracking: Work = {
  app: 'issue-tracker',
  openVendor: openLinear,
  whoAmI: { name: 'IssueTracker_WhoAmI', args: {} },
  emailIn: (data) => String(member(member(data, 'user'), 'email')),
  create: (title) => ({ name: 'IssueTracker_CreateIssue', args: { team: 'ENG', title } }),
  readOwn: { name: 'IssueTracker_ListIssues', args: { assignee: '@me', limit: 5 } },
}

export const storing: Work = {
  app: 'file-storage',
  openVendor: openGoogle,
  whoAmI: { name: 'FileStorage_WhoAmI', args: {} },
  emailIn: (data) => String(member(member(data, 'user'), 'email')),
  create: (title) => ({ name: 'FileStorage_CreateFolder', args: { folder_name: title } }),
  // The whole drive: whatever else it shows belongs to someone else.
  readOwn: { name: 'FileStorage_GetFileTreeStructure', args: { limit: 20 } },
}

const track = 'EventPipelineApi_TrackUserEvent'

/** With a key of each person. */
export const sending: Work = {
  app: 'event-pipeline',
  openVendor: openPipelines,
  whoAmI: { name: track, args: { mode: 'get_request_schema' } },
  create: (title) => ({
    name: track,
    args: { mode: 'execute', request_body: JSON.stringify({ userId: title, event: 'E', messageId: title }) },
  }),
}
