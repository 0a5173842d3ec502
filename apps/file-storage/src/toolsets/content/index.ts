import { toolsOf } from '@mcp-toolkits/core/tool'
import * as exporting from './export.ts'
import * as reading from './read.ts'

export const tools = toolsOf(reading, exporting)
