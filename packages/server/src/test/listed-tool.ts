import type { ListedTool } from '../mcp/definition.ts'

/** A tool of which only the name matters. */
export function listedTool(name: string): ListedTool {
  return {
    name,
    title: name,
    description: name,
    effect: 'read',
    canRead: true,
    scopes: [],
    inputSchema: {},
    outputSchema: {},
    annotations: {},
  }
}
