#!/usr/bin/env node
import { launch } from '@mcp-toolkits/server/launch'

await launch('event-pipeline-mcp', async () => (await import('./server.ts')).eventPipeline)
