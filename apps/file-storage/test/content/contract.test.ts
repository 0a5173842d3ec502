import { toolsetContract } from '@mcp-toolkits/testing'
import { fileStorage } from '../../src/server.ts'

const read = [true, false, true, true] as const

await toolsetContract(fileStorage, 'content', {
  // read-only, destructive, idempotent, open world
  hints: {
    'FileStorage.ReadFile': read,
    'FileStorage.ExportFile': read,
    'FileStorage.WriteFile': [false, true, false, true],
    'FileStorage.CopyFile': [false, false, false, true],
    'FileStorage.TrashFile': [false, true, true, true],
    'FileStorage.RestoreFile': [false, false, true, true],
    'FileStorage.ListRevisions': read,
  },
  maxListBytes: 16_000,
})
