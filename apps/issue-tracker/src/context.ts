import type { Mutex } from '@mcp-toolkits/core/async'
import type { Clock } from '@mcp-toolkits/core/clock'
import { toolkit, type Tool, type ToolSpec } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import type { LinearCall, LinearClient } from './linear/client.ts'
import { requireOwnWorkspace } from './linear/workspace.ts'
import { readIdentifiers } from './resolve/identifiers.ts'
import { withSuggestions } from './resolve/not-found.ts'
import { createResolver, type Resolver } from './resolve/resolver.ts'
import { addVocabulary } from './vocabulary.ts'

/** What all calls of a connection share. */
export interface Context {
  readonly linear: LinearClient
  readonly clock: Clock
  readonly relationLock: Mutex
}

/** What one call of a tool works with. */
export interface ToolContext {
  readonly linear: LinearCall
  readonly resolver: Resolver
  readonly clock: Clock
  readonly relationLock: Mutex
}

/** The scopes of Linear's OAuth that tools need. https://linear.app/developers/oauth-2-0-authentication */
export type Scope = 'read' | 'write' | 'issues:create' | 'comments:create' | 'initiative:read' | 'initiative:write'

const define = toolkit<Context, Scope>()

/** Defines a tool. All requests of a call share one deadline. URLs of other workspaces are rejected. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(spec: ToolSpec<ToolContext, Scope, In, Out>): Tool<Context> {
  addVocabulary(spec.name, spec.input)
  return define({
    ...spec,
    async run(args, { linear: client, clock, relationLock }, call) {
      const linear = client.forCall(call.scope)
      await requireOwnWorkspace(linear, args, spec.effect)
      const context: ToolContext = {
        linear,
        resolver: createResolver(linear, call.notice),
        clock,
        relationLock,
      }
      const read = await readIdentifiers(linear, args, call.notice)
      return spec.run(read, context, call).catch(async (error: unknown) => {
        throw await withSuggestions(linear, error, read)
      })
    },
  })
}
