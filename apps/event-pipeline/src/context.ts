import { toolkit } from '@mcp-toolkits/core/tool'
import type { Outbox } from './outbox/outbox.ts'

/** What the tools work with. */
export interface Context {
  /** Opens the outbox with the first event. Throws the error of a file that cannot be used. */
  readonly outbox: () => Promise<Outbox>
}

export const defineTool = toolkit<Context, never>()
