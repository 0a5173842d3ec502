import { toolkit } from '@mcp-toolkits/core/tool'
import type { Context } from './connect.ts'

/** Defines a tool of this server. */
export const defineTool = toolkit<Context, never>()
