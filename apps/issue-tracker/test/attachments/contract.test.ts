import { toolsetContract } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

await toolsetContract(issueTracker, 'attachments', {
  // read-only, destructive, idempotent, open world
  hints: {
    'IssueTracker.ListAttachments': [true, false, true, true],
    'IssueTracker.ReadAttachment': [true, false, true, true],
    'IssueTracker.AttachFile': [false, false, false, true],
  },
  maxListBytes: 6_000,
})
