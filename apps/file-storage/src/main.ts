#!/usr/bin/env node
import { launch } from '@mcp-toolkits/server/cli/launch'

await launch('file-storage-mcp', async () => (await import('./server.ts')).fileStorage)
