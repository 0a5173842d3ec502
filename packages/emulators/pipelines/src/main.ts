#!/usr/bin/env node
import { launch } from '@mcp-toolkits/emulator/command'

await launch('pipelines-emulator', async () => (await import('./command.ts')).command)
