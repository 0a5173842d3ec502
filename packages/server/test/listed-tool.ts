import type { ListedTool } from '../src/mcp/definition.ts'

/** A tool with only a name. */
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
