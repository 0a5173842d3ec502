import type { Message } from '@mcp-toolkits/core/errors'
import type { JsonSchema, Tool } from '@mcp-toolkits/core/tool'

/** A tool as recorded by the build: everything that `tools/list` and the filters need, without the tool's code. */
export interface ListedTool extends Pick<Tool<never>, 'name' | 'aliases' | 'title' | 'effect' | 'canRead' | 'scopes'> {
  /** Text, or the JSON of a message that mentions tools, as in the schemas' descriptions. */
  readonly description: string | ReturnType<Message['toJSON']>
  /** True for a tool that only apps call: no model sees it. */
  readonly isForApps?: true
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

/** The tools that models see. */
export function toolsForModels(tools: readonly ListedTool[]): readonly ListedTool[] {
  return tools.filter(({ isForApps }) => !isForApps)
}
