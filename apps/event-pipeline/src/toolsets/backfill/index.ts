import { toolsOf } from '@mcp-toolkits/core/tool'
import * as manage from './manage.ts'
import * as send from './send.ts'

export const tools = toolsOf(send, manage)
