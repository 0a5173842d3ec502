import { moveFile, renameFile } from './arrange.ts'
import { createFolder } from './folders.ts'
import { searchFiles } from './search.ts'
import { shareFile } from './sharing.ts'
import { getFileTreeStructure } from './tree.ts'
import { whoAmI } from './user.ts'

export const tools = [whoAmI, getFileTreeStructure, searchFiles, createFolder, renameFile, moveFile, shareFile]
