import { toolsetContract } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

const update = [false, false, true, true] as const
const remove = [false, true, true, true] as const

await toolsetContract(issueTracker, 'triage', {
  // read-only, destructive, idempotent, open world
  hints: {
    'IssueTracker.SetParentIssue': update,
    'IssueTracker.UnarchiveIssue': update,
    'IssueTracker.DeleteIssueRelation': remove,
  },
  maxListBytes: 12_000,
})
