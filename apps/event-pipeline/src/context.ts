import { toolkit } from '@mcp-toolkits/core'
import type { Delivery } from './pipelines/delivery.ts'

/** What the tools work with. */
export interface Context {
  readonly delivery: Delivery
}

export const defineTool = toolkit<Context, never>()
