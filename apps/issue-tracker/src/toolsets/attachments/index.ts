import { toolsOf } from '@mcp-toolkits/core/tool'
import * as attach from './attach.ts'
import * as list from './list.ts'

export const tools = toolsOf(list, attach)
