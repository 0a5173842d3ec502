import { contract } from '@mcp-toolkits/testing'
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
})
