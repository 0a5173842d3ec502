// A server in a process of its own that makes one call when it is told to.
import { runCaller } from '@mcp-toolkits/testing'
import { fileStorage } from '../../src/server.ts'

await runCaller(fileStorage, { tool: 'FileStorage.SearchFiles', args: { query: 'nothing' }, tokenPath: '/token', environment: process.env })
