import { toolkit } from '@mcp-toolkits/core/tool'
import type { Outbox } from './outbox/outbox.ts'

/** What the tools work with. */
export interface Context {
  readonly outbox: Outbox
}

export const defineTool = toolkit<Context, never>()
