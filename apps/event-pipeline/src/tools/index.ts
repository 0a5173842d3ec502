import { toolsOf } from '@mcp-toolkits/core/tool'
import * as endpoints from './endpoints.ts'

/** One tool for each operation of the Pipelines API, in the order in which clients show them. */
export const tools = toolsOf(endpoints)
