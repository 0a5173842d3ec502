import { toolsetContract } from '@mcp-toolkits/testing'
import { fileStorage } from '../../src/server.ts'

const read = [true, false, true, true] as const
const remove = [false, true, true, true] as const

await toolsetContract(fileStorage, 'access', {
  // read-only, destructive, idempotent, open world
  hints: {
    'FileStorage.CheckFileAccess': read,
    'FileStorage.ListFilePermissions': read,
    'FileStorage.RevokeFileAccess': remove,
    'FileStorage.RemoveAllCollaborators': remove,
    'FileStorage.SetGeneralAccess': [false, false, true, true],
  },
  maxListBytes: 12_000,
})
