import { toolsOf } from '@mcp-toolkits/core/tool'
import * as waiting from './waiting.ts'

export const tools = toolsOf(waiting)
