import type { IdempotencyKeys } from '@mcp-toolkits/core/idempotency'
import { toolkit } from '@mcp-toolkits/core/tool'
import type { Areas } from './drive/areas.ts'
import type { DriveClient } from './drive/client.ts'
import type { Downloads } from './drive/downloads.ts'
import type { InTurn } from './drive/in-turn.ts'
import type { FilePicker } from './file-picker.ts'
import type { Uploading } from './upload/upload.ts'

/** What the tools work with. */
export interface Context extends Uploading {
  readonly drive: DriveClient
  readonly areas: Areas
  /** The ids under which folders are made. */
  readonly newItems: IdempotencyKeys
  /** Lets changes to the sharing of one item happen one after another. */
  readonly sharing: InTurn
  /** Downloads that go on from call to call. */
  readonly downloads: Downloads
  /** Lets the person choose the files that the tools may use. */
  readonly picker: FilePicker
}

/** The scopes of Google's OAuth that tools need, without the part that all share. https://developers.google.com/identity/protocols/oauth2/scopes */
export type Scope = 'drive.file' | 'drive.readonly' | 'userinfo.profile' | 'userinfo.email'

export const defineTool = toolkit<Context, Scope | `${Scope}|${Scope}`>()
