import { toolkit } from '@mcp-toolkits/core'
import type { Outbox } from './outbox/outbox.ts'

/** What the tools work with. */
export interface Context {
  readonly outbox: Outbox
}

export const defineTool = toolkit<Context, never>()
