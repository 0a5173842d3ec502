// A server in a separate process that makes one call on request.
import { runCaller } from '@mcp-toolkits/testing'
import { fileStorage } from '../../src/server.ts'

await runCaller(fileStorage, { tool: 'FileStorage.SearchFiles', args: { query: 'nothing' }, tokenPath: '/token', environment: process.env })
