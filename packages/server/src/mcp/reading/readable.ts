import type { JsonObject } from '@mcp-toolkits/core/base'

/** Everything that clients can read beside the tools. */
export interface SkillsAndResources {
  readonly skills: readonly Skill[]
  readonly resources: readonly ToolResource[]
}

/** A workflow for models in the form of an Agent Skill (https://agentskills.io/specification). It is also a prompt. */
export interface Skill {
  /** The fields before `SKILL.md`'s text. */
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string }
  /** The tools that it calls, without their prefix. A server that lacks a tool does not have the skill. */
  readonly tools: readonly string[]
  /** `SKILL.md` as its author wrote it, with tool names in backticks. */
  readonly text: string
}

/** Things that clients can read by address, because a tool reads them. */
export interface ToolResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** `linear://issue/{issue}`: the variable names an argument of the tool. */
  readonly uriTemplate: string
  /** The tool, without its prefix. */
  readonly tool: string
  /** The result's member that is the text; if absent, the whole result as JSON. */
  readonly text?: string
  /** The things that any tool's result is about, at most a handful; none for a list. */
  readonly findIn?: (result: JsonObject) => readonly FoundThing[]
}

/** A thing in a result. It is left out unless its id is a string or a number. */
export interface FoundThing {
  /** The value of the address's variable. */
  readonly id: unknown
  /** Text written by others. */
  readonly name: string | undefined
}
