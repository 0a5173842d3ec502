import { toolsOf } from '@mcp-toolkits/core/tool'
import * as arrange from './arrange.ts'
import * as exporting from './export.ts'
import * as reading from './read.ts'
import * as revisions from './revisions.ts'
import * as write from './write.ts'

export const tools = toolsOf(reading, exporting, write, arrange, revisions)
