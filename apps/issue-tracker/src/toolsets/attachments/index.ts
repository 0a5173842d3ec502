import { toolsOf } from '@mcp-toolkits/core/tool'
import * as attach from './attach.ts'
import * as list from './list.ts'
import * as read from './read.ts'

export const tools = toolsOf(list, read, attach)
