import { type CallScope, toolkit } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'

/** Context of the tools. */
export interface Context {
  /** Reads a resource of the vendor. */
  readonly get: <Schema extends z.ZodType>(resource: string, schema: Schema, scope: CallScope) => Promise<z.output<Schema>>
}

export const defineTool = toolkit<Context, never>()
