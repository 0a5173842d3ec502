import { toolsOf } from '@mcp-toolkits/core/tool'
import * as sampleTool from './sample-tool.ts'

/** Every tool that these modules export, in the order that clients show them. */
export const tools = toolsOf(sampleTool)
