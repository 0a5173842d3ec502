import { downloadFile, downloadFileChunk } from './downloads.ts'
import { createFolder, moveFile, renameFile } from './arrange.ts'
import { generateFilePickerUrl } from './picker.ts'
import { searchFiles } from './search.ts'
import { shareFile } from './sharing.ts'
import { getFileTreeStructure } from './tree.ts'
import { uploadFile } from './uploads.ts'
import { whoAmI } from './user.ts'

export const tools = [
  whoAmI,
  getFileTreeStructure,
  generateFilePickerUrl,
  searchFiles,
  createFolder,
  renameFile,
  moveFile,
  downloadFile,
  downloadFileChunk,
  uploadFile,
  shareFile,
]
