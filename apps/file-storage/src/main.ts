#!/usr/bin/env node
import { launch } from '@mcp-toolkits/server/launch'

await launch('file-storage-mcp', async () => (await import('./server.ts')).fileStorage)
