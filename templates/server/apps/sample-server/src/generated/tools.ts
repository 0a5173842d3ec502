import type { ListedTool } from '@mcp-toolkits/server'

export const listed: readonly ListedTool[] = []
