import { member } from '@mcp-toolkits/core/base'
import type { KnownPerson } from '../people/identity-provider/identity-provider.ts'
import type { Call } from '../cluster/client.ts'
import { openGoogle, openLinear, openPipelines, type OpenCompanyVendor } from './vendors.ts'

/** People's work with one server. */
export interface Work {
  /** The app's name. */
  readonly app: string
  readonly openVendor: OpenCompanyVendor
  /** Call that returns who the caller is, if the vendor knows. */
  readonly whoAmI: Call
  /** Returns the email address in that call's result; undefined if the vendor says nothing about people. */
  readonly emailIn?: (data: unknown) => string
  /** Creates something with `title`. */
  readonly create: (title: string) => Call
  /** Call that reads what the person has created, all of it with that person's mark. Undefined if nothing can be read back. */
  readonly readOwn?: Call
}

/** Mark in the title of everything that a person creates. */
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
  // Lists the whole drive, where anything without the mark belongs to someone else.
  readOwn: { name: 'FileStorage_GetFileTreeStructure', args: { limit: 20 } },
}

const track = 'EventPipelineApi_TrackUserEvent'

/** Work with one key for each person. */
export const sending: Work = {
  app: 'event-pipeline',
  openVendor: openPipelines,
  whoAmI: { name: track, args: { mode: 'get_request_schema' } },
  create: (title) => ({
    name: track,
    args: { mode: 'execute', request_body: JSON.stringify({ userId: title, event: 'E', messageId: title }) },
  }),
}
