import type { Identities } from '@mcp-toolkits/core/identities'
import { toolkit } from '@mcp-toolkits/core/tool'
import type { LinearClient } from './linear/client.ts'

/** What the tools work with. */
export interface Context {
  readonly linear: LinearClient
  /** The ids under which things are created. */
  readonly identities: Identities
}

/** The scopes of Linear's OAuth that tools need. https://linear.app/developers/oauth-2-0-authentication */
export type Scope = 'read' | 'write' | 'issues:create' | 'comments:create' | 'initiative:read' | 'initiative:write'

export const defineTool = toolkit<Context, Scope>()
