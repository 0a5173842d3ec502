import type { CallScope, Operation } from '@mcp-toolkits/core/tool'
import type { DriveClient } from '../drive/client.ts'
import type { ResumeState, ResumeStateStore } from './resume-state-files.ts'
import type { Source } from './source.ts'

/** The file that an upload creates. */
export interface Target {
  /** The id that the file gets. */
  readonly fileId: string
  /** True if it replaces a file that an earlier call created and that was deleted since. */
  readonly isReplacement: boolean
  /** True if an earlier call may have created the file. */
  readonly isRepeat: boolean
  /** When the call began, in milliseconds since 1970. */
  readonly at: number
}

interface UploadBegin {
  readonly drive: DriveClient
  readonly operation: Operation
  readonly newId: (signal: AbortSignal) => Promise<string>
  readonly resumeStates: ResumeStateStore
  /** Identity of the call among the resume states. */
  readonly call: unknown
  readonly scope: CallScope
}

/**
 * Begins the operation of an upload. Returns the file to create, and the session that an earlier call has left of it: a session lasts
 * longer than the record of its call, and then passes on its id.
 */
export async function beginUpload(
  { drive, operation, newId, resumeStates, call, scope: { signal } }: UploadBegin,
  { etag }: Pick<Source, 'etag'>,
): Promise<{ readonly target: Target; readonly resumeState: ResumeState | undefined }> {
  const at = drive.clock.now()
  let taken: ResumeState | undefined
  try {
    const begun = await operation.begin()
    if (!begun) taken = await resumeStates.take(call, { etag })
    const { value: fileId, isRepeat } = begun ?? (await operation.claim(taken?.id ?? (await newId(signal))))
    const target = { fileId, isReplacement: false, at }
    if (taken?.id === fileId) return { target: { ...target, isRepeat: true }, resumeState: taken }
    await taken?.giveBack()
    const resumeState = isRepeat ? await resumeStates.take(call, { id: fileId, etag }) : undefined
    return { target: { ...target, isRepeat }, resumeState }
  } catch (error) {
    await taken?.giveBack()
    throw error
  }
}
