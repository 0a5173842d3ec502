import * as z from 'zod'
import { creation } from '../client.ts'
import { nodes, pageVariables, query } from '../document.ts'
import {
  filteringIssue,
  Flag,
  Member,
  NamedRef,
  OptionalText,
  PageUrl,
  Person,
  ProjectChoice,
  ProjectRef,
  TeamRef,
  Text,
  Timestamp,
  VendorPriority,
} from '../records.ts'

const ProjectStatus = NamedRef.extend({
  type: Text,
  color: OptionalText,
  description: OptionalText,
  position: z.number(),
})
export type ProjectStatus = z.output<typeof ProjectStatus>

export const projectStatuses = query('ListProjectStatuses', {}, { organization: z.object({ project_statuses: z.array(ProjectStatus) }) })

export const createProjectStatus = creation('CreateProjectStatus', 'ProjectStatus', ProjectStatus, 'status')

const User = Member.extend({
  title: OptionalText,
  admin: Flag,
  guest: Flag,
  app: Flag,
  teams: nodes('teams(first: 10)', TeamRef).default([]),
  has_more_teams: Flag,
})
export type User = z.output<typeof User>

export const listUsers = query(
  'ListUsers',
  { ...pageVariables, filter: 'UserFilter', disabled: 'Boolean!' },
  {
    users: nodes('users(first: $first, after: $after, filter: $filter, includeDisabled: $disabled)', User),
    has_more_users: Flag,
    users_end_cursor: OptionalText,
  },
)

const CustomerNeed = z.object({
  id: Text,
  body: OptionalText,
  /** Linear uses the numbers 0 and 1 here, for unimportant and important. */
  priority: VendorPriority,
  url: PageUrl,
  created_at: Timestamp,
  creator: Person.optional(),
  customer: NamedRef.optional(),
  issue: z.object({ identifier: Text }).optional(),
  project: ProjectRef.optional(),
})
export type CustomerNeed = z.output<typeof CustomerNeed>

export const listCustomerNeeds = query(
  'ListCustomerNeeds',
  { ...pageVariables, filter: 'CustomerNeedFilter', project: 'ProjectFilter', issue: 'IssueFilter' },
  {
    issue: filteringIssue,
    needs: nodes('customerNeeds(first: $first, after: $after, filter: $filter, orderBy: createdAt)', CustomerNeed),
    has_more_needs: Flag,
    needs_end_cursor: OptionalText,
    project: nodes('projects(first: 2, includeArchived: true, filter: $project) @include(if: $hasProject)', ProjectChoice).optional(),
  },
)
