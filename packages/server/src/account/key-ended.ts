import { Unauthenticated } from '@mcp-toolkits/core/errors'

/** Thrown if the person has removed or replaced a key. Nothing was sent with that key. */
export class KeyEnded extends Unauthenticated {}
