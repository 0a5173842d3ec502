import { toolsOf } from '@mcp-toolkits/core/tool'
import * as arrange from './arrange.ts'
import * as downloads from './downloads.ts'
import * as picker from './picker.ts'
import * as search from './search.ts'
import * as sharing from './sharing.ts'
import * as tree from './tree.ts'
import * as uploads from './uploads.ts'
import * as user from './user.ts'

/** Every tool that these modules export, in the order in which clients show them. */
export const tools = toolsOf(user, tree, picker, search, arrange, downloads, uploads, sharing)
