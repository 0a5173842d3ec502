import type { JsonObject } from '../base/json.ts'

/**
 * A wish, expressed by calling a tool that does not exist. `asks` is tested against the verb, the nouns in the singular and the arguments,
 * all in the server's own words: `delete issue: {"id":"ENG-1"}`. `says` explains what to do instead; a sentence that names a hidden tool is left out. `tool` fulfils
 * the wish, with the caller's arguments or those that `step` returns; undefined if they cannot be built from all that was given.
 */
export type ToolWish = readonly [asks: RegExp, says: string, tool?: string, step?: (args: JsonObject) => JsonObject | undefined]
