#!/usr/bin/env node
import { launch } from '@mcp-toolkits/emulator/launch'

await launch('drive-emulator', async () => (await import('./command.ts')).command)
