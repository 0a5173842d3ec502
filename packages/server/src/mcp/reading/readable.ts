import type { JsonObject } from '@mcp-toolkits/core/base'

/** Everything that clients can read beside the tools. */
export interface SkillsAndResources {
  readonly skills: readonly Skill[]
  readonly resources: readonly ToolResource[]
}

/** A workflow for models in the form of an Agent Skill (https://agentskills.io/specification). It is a prompt as well. */
export interface Skill {
  /** The fields before the text of `SKILL.md`. */
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string }
  /** The tools that it calls, without their prefix. A server that lacks one does not have the skill. */
  readonly tools: readonly string[]
  /** `SKILL.md` as its author wrote it, with the names of tools in backticks. */
  readonly text: string
}

/** Things that clients can read by their address, because a tool reads them. */
export interface ToolResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** `linear://issue/{issue}`: the variable names an argument of the tool. */
  readonly uriTemplate: string
  /** Without its prefix. */
  readonly tool: string
  /** The member of the result that is the text; the whole result as JSON when absent. */
  readonly text?: string
  /** The things that the result of any tool is about, at most a handful; none for a list. */
  readonly findIn?: (result: JsonObject) => readonly FoundThing[]
}

/** A thing in a result. It is left out unless its id is a text or a number. */
export interface FoundThing {
  /** The value of the variable in the address. */
  readonly id: unknown
  /** Written by others. */
  readonly name: string | undefined
}
