// A server in a separate process that makes one call on request.
import { runCaller } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

await runCaller(issueTracker, { tool: 'IssueTracker.ListTeams', tokenPath: '/oauth/token', environment: process.env })
