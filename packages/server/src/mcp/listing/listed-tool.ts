import type { Message } from '@mcp-toolkits/core/errors'
import type { Effect, JsonSchema } from '@mcp-toolkits/core/tool'

/** A tool as recorded by the build: everything that `tools/list` and the filters need, without the tool's code. */
export interface ListedTool {
  /** Canonical name without the prefix. */
  readonly name: string
  /** Names that earlier versions had, also without the prefix. */
  readonly aliases?: readonly string[]
  readonly title: string
  /** Text, or the JSON of a message that mentions tools, as in the schemas' descriptions. */
  readonly description: string | ReturnType<Message['toJSON']>
  readonly effect: Effect
  readonly canRead: boolean
  /** True for a tool that only apps call: no model sees it. */
  readonly isForApps?: true
  readonly scopes: readonly string[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

/** The tools that models see. */
export function toolsForModels(tools: readonly ListedTool[]): readonly ListedTool[] {
  return tools.filter(({ isForApps }) => !isForApps)
}
