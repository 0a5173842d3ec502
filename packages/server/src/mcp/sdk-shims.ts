// Bundles use this instead of the SDK's own choice for Node, which includes a JSON Schema validator (see docs/decisions/0015).
export { default as process } from 'node:process'

/** Stands in for the validator of the SDK: `elicitation` checks elicited content itself, as the tools check arguments. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema is validated here: the tools and the elicitation check what comes in.')
  }
}
