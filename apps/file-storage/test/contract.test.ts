import { contract, dataDirectoryContract } from '@mcp-toolkits/testing'
import { expect } from 'vitest'
import { fileStorage } from '../src/server.ts'

const read = [true, false, true, true] as const
const create = [false, false, false, true] as const
const update = [false, false, true, true] as const

contract(fileStorage, {
  // read-only, destructive, idempotent, open world
  hints: {
    'FileStorage.WhoAmI': read,
    'FileStorage.GetFileTreeStructure': read,
    'FileStorage.GenerateFilePickerUrl': read,
    'FileStorage.SearchFiles': read,
    'FileStorage.CreateFolder': create,
    'FileStorage.RenameFile': update,
    'FileStorage.MoveFile': update,
    'FileStorage.DownloadFile': read,
    'FileStorage.DownloadFileChunk': read,
    'FileStorage.UploadFile': create,
    'FileStorage.ShareFile': update,
  },
  conditional: ['UploadFile'],
})

dataDirectoryContract(fileStorage, {
  database: 'drive.db',
  write: (server) => server.call('FileStorage.CreateFolder', { folder_name: 'Locked' }),
  whileLocked: {
    async write(server) {
      const error = await server.fails('FileStorage.CreateFolder', { folder_name: 'Locked' })
      expect(error).toMatchObject({ code: 'unavailable', retryable: true })
      expect(error.message).toMatch(/^Another process has kept .*drive\.db locked for 5 seconds\. Try again in a moment\.$/)
    },
    read: (server) => server.call('FileStorage.SearchFiles', { query: 'budget' }),
  },
})
