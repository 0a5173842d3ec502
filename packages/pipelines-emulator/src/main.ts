#!/usr/bin/env node
import process from 'node:process'
import { runEmulatorCommand } from '@mcp-toolkits/emulator/command'
import manifest from '../package.json' with { type: 'json' }

process.exitCode = await runEmulatorCommand(
  {
    name: 'pipelines-emulator',
    version: manifest.version,
    service: 'Customer.io Pipelines',
    port: 4012,
    file: 'pipelines.db',
    credential: { name: 'the API key', value: 'pipelines-emulator' },
    async open({ file, seed, token }) {
      const { pipelinesEmulator, readSeed } = await import('./index.ts')
      return pipelinesEmulator({
        ...(file !== undefined && { file }),
        ...(seed !== undefined && { seed: await readSeed(seed) }),
        ...(token !== undefined && { key: token }),
      })
    },
    hint: (url, key) => `The API is at ${url}/v1, with the API key ${key}.`,
  },
  process,
)
