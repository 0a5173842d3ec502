// Bundles have this in place of the SDK's own choice for Node, which takes in a validator of JSON Schema (see docs/decisions/0015).
export { default as process } from 'node:process'

/** What the SDK would check answers to its own questions with. Ours are checked by `elicitation`, and arguments by the tools. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema is validated here: the tools and the elicitation check what comes in.')
  }
}
