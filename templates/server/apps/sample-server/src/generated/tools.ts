import type { ListedTool } from '@mcp-toolkits/server'

export const listedTools: readonly ListedTool[] = []
