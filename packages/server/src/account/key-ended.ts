import { Unauthenticated } from '@mcp-toolkits/core/errors'

/** The person has removed or replaced a key; nothing was sent with it. */
export class KeyEnded extends Unauthenticated {}
