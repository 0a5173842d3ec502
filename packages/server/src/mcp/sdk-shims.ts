// Bundles use this instead of the SDK's own choice for Node, which includes a validator of JSON Schema (see docs/decisions/0015).
export { default as process } from 'node:process'

/** The SDK would validate elicited content with it. Ours is checked by `elicitation`, and arguments by the tools. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema is validated here: the tools and the elicitation check what comes in.')
  }
}
