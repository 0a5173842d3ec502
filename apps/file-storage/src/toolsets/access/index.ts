import { toolsOf } from '@mcp-toolkits/core/tool'
import * as check from './check.ts'
import * as general from './general.ts'
import * as list from './list.ts'
import * as revoke from './revoke.ts'

export const tools = toolsOf(check, list, revoke, general)
