#!/usr/bin/env node
import { launch } from '@mcp-toolkits/server/launch'

await launch('sample-server-mcp', async () => (await import('./server.ts')).sampleServer)
