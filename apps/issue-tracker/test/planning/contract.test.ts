import { toolsetContract } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

const read = [true, false, true, true] as const
const create = [false, false, false, true] as const
const update = [false, false, true, true] as const

await toolsetContract(issueTracker, 'planning', {
  // read-only, destructive, idempotent, open world
  hints: {
    'IssueTracker.ListMilestones': read,
    'IssueTracker.GetMilestone': read,
    'IssueTracker.UpsertMilestone': update,
    'IssueTracker.ListProjectComments': read,
    'IssueTracker.AddProjectComment': create,
    'IssueTracker.ReplyToProjectComment': create,
    'IssueTracker.ResolveComment': update,
    'IssueTracker.ListProjectUpdates': read,
    'IssueTracker.ListAvailableProjectStatuses': read,
    'IssueTracker.CreateProjectStatus': create,
    'IssueTracker.ListDocuments': read,
    'IssueTracker.GetDocument': read,
    'IssueTracker.CreateDocument': create,
    'IssueTracker.UpdateDocument': update,
    'IssueTracker.EditDescription': update,
    'IssueTracker.ListUsers': read,
    'IssueTracker.ListCustomerNeeds': read,
  },
  maxListBytes: 30_000,
})
