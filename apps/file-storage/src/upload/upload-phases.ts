import type { NewFile } from '../drive/files.ts'
import type { DriveItem } from '../drive/items.ts'
import type { ResolvedFolder } from '../drive/folders.ts'
import type { ResumeState, StoredSession } from './resume-state-files.ts'
import type { Source } from './source.ts'
import type { ChunkWindow } from './drive-session.ts'
import type { Target } from './upload-target.ts'

export interface UploadResult {
  readonly item: DriveItem
  /** The folder that the file was created in. */
  readonly folder: ResolvedFolder
  /** True for an HTML page not declared as one. */
  readonly isUnexpectedPage: boolean
  /**
   * The progress that an earlier call made with the file. `createdUnread`: the source failed before all of it was compared. `deleted`: the
   * file has since been deleted.
   */
  readonly earlierCall?: 'started' | 'partlySent' | 'created' | 'createdOtherContent' | 'createdUnread' | 'deleted' | undefined
}

/** Progress of an unfinished upload, in every state. */
export interface Progress {
  readonly starts: number
  /** Undefined until the operation has begun. */
  readonly target?: Target | undefined
  readonly folder: ResolvedFolder
  readonly isUnexpectedPage: boolean
  /** State that a retry would continue from if the upload stopped now. */
  readonly resumeState?: ResumeState | undefined
}

interface WithSource extends Progress {
  readonly source: Source
}

export interface WithTarget extends WithSource {
  readonly target: Target
}

interface WithFirstChunk extends WithTarget {
  readonly file: Omit<NewFile, 'parent'>
  readonly window: ChunkWindow
}

export type Starting = Progress & { readonly phase: 'starting' }
export type Preparing = WithSource & { readonly phase: 'preparing' }
export type Creating = WithFirstChunk & { readonly phase: 'creating' }
export type OpeningSession = WithFirstChunk & { readonly phase: 'openingSession'; readonly firstChunkBytes?: number }
export type Resuming = WithTarget & { readonly phase: 'resuming'; readonly session: StoredSession }
export type Sending = WithTarget & {
  readonly phase: 'sending'
  readonly address: string
  readonly window: ChunkWindow
  readonly firstChunkBytes?: number | undefined
  readonly isResumed: boolean
}
export type Verifying = WithTarget & {
  readonly phase: 'verifying'
  readonly item: DriveItem
  /** True if the file was just created, so it cannot have changed. */
  readonly isNew: boolean
  readonly isResumed: boolean
}
/** State in which an item already has our id. */
export type Recovering = WithTarget & { readonly phase: 'recovering' }
/** State in which the upload has failed for good, and Drive is told to discard the stored bytes. */
interface Abandoning {
  readonly phase: 'abandoning'
  readonly address: string
  readonly error: unknown
  readonly resumeState?: undefined
}
export interface Removing {
  readonly phase: 'removing'
  readonly item: DriveItem
  readonly resumeState?: undefined
}
export interface Done {
  readonly phase: 'done'
  readonly uploaded: UploadResult
  readonly resumeState?: undefined
}
export interface Failed {
  readonly phase: 'failed'
  readonly error: unknown
  readonly resumeState?: ResumeState | undefined
}

export type ActiveState =
  | Starting
  | Preparing
  | Creating
  | OpeningSession
  | Resuming
  | Sending
  | Verifying
  | Recovering
  | Abandoning
  | Removing
export type UploadState = ActiveState | Done | Failed

export function hasTarget(state: ActiveState): state is ActiveState & WithTarget {
  return 'target' in state && state.target !== undefined && 'source' in state
}
