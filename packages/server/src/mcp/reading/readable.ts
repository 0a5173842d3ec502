import type { JsonObject } from '@mcp-toolkits/core/base'

/** Everything that clients can read besides the tools. */
export interface SkillsAndResources {
  readonly skills: readonly Skill[]
  readonly resources: readonly ToolResource[]
}

/** A workflow for models in the form of an Agent Skill (https://agentskills.io/specification). It is also a prompt. */
export interface Skill {
  /** The frontmatter fields of `SKILL.md`. */
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string }
  /** Tools that the skill calls, without their prefix. A server that lacks one does not offer the skill. */
  readonly tools: readonly string[]
  /** `SKILL.md` as its author wrote it, with tool names in backticks. */
  readonly text: string
}

/** Items that clients can read by address, through a tool. */
export interface ToolResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** `linear://issue/{issue}`: the variable is named after one of the tool's arguments. */
  readonly uriTemplate: string
  /** The tool, without its prefix. */
  readonly tool: string
  /** The result's member with the text; if absent, the text is the whole result as JSON. */
  readonly text?: string
  /** The few items that a tool's result is about; empty for a list. */
  readonly findIn?: (result: JsonObject) => readonly FoundThing[]
}

/** An item in a result, ignored unless its id is a string or a number. */
export interface FoundThing {
  /** Value for the address's variable. */
  readonly id: unknown
  /** Text written by others. */
  readonly name: string | undefined
}
