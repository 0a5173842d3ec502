import type { IdempotencyKeys } from '@mcp-toolkits/core/idempotency'
import { toolkit, type Tool, type ToolSpec } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import { refuseForeignPages } from './linear/addresses.ts'
import type { LinearClient } from './linear/client.ts'
import type { Turns } from './turns.ts'

/** What the tools work with. */
export interface Context {
  readonly linear: LinearClient
  /** The ids under which things are created. */
  readonly idempotencyKeys: IdempotencyKeys
  /** Relations are made one after another: Linear itself would store one twice. */
  readonly relating: Turns
}

/** The scopes of Linear's OAuth that tools need. https://linear.app/developers/oauth-2-0-authentication */
export type Scope = 'read' | 'write' | 'issues:create' | 'comments:create' | 'initiative:read' | 'initiative:write'

const define = toolkit<Context, Scope>()

/** Defines a tool. All requests of a call share one deadline, and a write is to this workspace, whatever address names its target. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(spec: ToolSpec<Context, Scope, In, Out>): Tool<Context> {
  return define({
    ...spec,
    async run(args, context, call) {
      const linear = context.linear.forOneCall()
      if (spec.effect !== 'read') await refuseForeignPages(linear, args, call.signal)
      return spec.run(args, { ...context, linear }, call)
    },
  })
}
