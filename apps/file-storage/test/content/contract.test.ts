import { toolsetContract } from '@mcp-toolkits/testing'
import { fileStorage } from '../../src/server.ts'

const read = [true, false, true, true] as const

await toolsetContract(fileStorage, 'content', {
  // read-only, destructive, idempotent, open world
  hints: {
    'FileStorage.ReadFile': read,
    'FileStorage.ExportFile': read,
  },
  maxListBytes: 8_000,
})
