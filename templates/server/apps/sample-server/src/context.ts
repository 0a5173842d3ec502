import { type CallScope, toolkit } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'

/** A request to the vendor: with a body, a POST, which is not repeated if its response is lost. */
export interface VendorRequest {
  /** Path after the base URL. */
  readonly path: string
  readonly body?: unknown
}

/** Context for the tools. */
export interface Context {
  /** Sends a request, and checks the response. */
  readonly request: <Schema extends z.ZodType>(request: VendorRequest, schema: Schema, scope: CallScope) => Promise<z.output<Schema>>
}

export const defineTool = toolkit<Context, never>()
