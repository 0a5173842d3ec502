import { toolsetContract } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

const read = [true, false, true, true] as const
const create = [false, false, false, true] as const
const update = [false, false, true, true] as const
const remove = [false, true, true, true] as const

await toolsetContract(issueTracker, 'triage', {
  // read-only, destructive, idempotent, open world
  hints: {
    'IssueTracker.SearchIssues': read,
    'IssueTracker.FindDuplicates': read,
    'IssueTracker.BatchCreateIssues': create,
    'IssueTracker.BatchUpdateIssues': update,
    'IssueTracker.SetParentIssue': update,
    'IssueTracker.UnarchiveIssue': update,
    'IssueTracker.MoveIssueToTeam': update,
    'IssueTracker.SetIssueMilestone': update,
    'IssueTracker.DeleteIssueRelation': remove,
  },
  maxListBytes: 16_000,
})
