import { member } from '@mcp-toolkits/core/json'
import type { KnownPerson } from '@mcp-toolkits/testing/identity-provider'
import type { Call } from '../replicas/client.ts'
import { openGoogle, openLinear, type OpenCompanyVendor } from './vendors.ts'

/** What people do with one server. */
export interface Work {
  /** The name of the app. */
  readonly app: string
  readonly openVendor: OpenCompanyVendor
  /** Says who calls. */
  readonly whoAmI: Call
  /** The address in its result. */
  readonly emailIn: (data: unknown) => string
  /** Makes something with `title`. */
  readonly create: (title: string) => Call
  /** Reads what the person has made; everything in the result has the mark of its maker. */
  readonly readOwn: Call
}

/** What everything that a person makes has in its title. */
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
