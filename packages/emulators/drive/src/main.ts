#!/usr/bin/env node
import { launch } from '@mcp-toolkits/emulator/command'

await launch('drive-emulator', async () => (await import('./command.ts')).command)
