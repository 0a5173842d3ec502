import type { Identities } from '@mcp-toolkits/core/identities'
import { toolkit } from '@mcp-toolkits/core/tool'
import type { Areas } from './drive/areas.ts'
import type { DriveClient } from './drive/client.ts'
import type { InTurn } from './drive/in-turn.ts'

/** What the tools work with. */
export interface Context {
  readonly drive: DriveClient
  readonly areas: Areas
  /** The ids under which folders are made. */
  readonly newItems: Identities
  /** Lets changes to the sharing of one item happen one after another. */
  readonly sharing: InTurn
}

/** The scopes of Google's OAuth that tools need, without the part that all share. https://developers.google.com/identity/protocols/oauth2/scopes */
export type Scope = 'drive.file' | 'userinfo.profile' | 'userinfo.email'

export const defineTool = toolkit<Context, Scope>()
