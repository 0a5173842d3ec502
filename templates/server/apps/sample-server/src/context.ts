import { type CallScope, toolkit } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'

/** Context for the tools. */
export interface Context {
  /** Reads one of the vendor's resources. */
  readonly get: <Schema extends z.ZodType>(resource: string, schema: Schema, scope: CallScope) => Promise<z.output<Schema>>
}

export const defineTool = toolkit<Context, never>()
