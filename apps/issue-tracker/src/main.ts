#!/usr/bin/env node
import { launch } from '@mcp-toolkits/server/launch'

await launch('issue-tracker-mcp', async () => (await import('./server.ts')).issueTracker)
