// A server in a process of its own that makes one call when it is told to.
import { runCaller } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

await runCaller(issueTracker, { tool: 'IssueTracker.ListTeams', tokenPath: '/oauth/token', environment: process.env })
