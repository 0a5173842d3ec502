import type { CreateContext } from '../drive/folders.ts'
import type { ResumeState, ResumeStateStore } from './resume-state-files.ts'
import type { Source } from './source.ts'

/** The file that an upload creates. */
export interface Target {
  /** The id for the file. */
  readonly fileId: string
  /** True if the upload replaces an earlier call's file that has since been deleted. */
  readonly isReplacement: boolean
  /** True if an earlier call may have created the file. */
  readonly isRepeat: boolean
  /** Time, in milliseconds since 1970, at which the call began. */
  readonly at: number
}

interface UploadBegin extends CreateContext {
  readonly resumeStates: ResumeStateStore
  /** The call's key in the resume states. */
  readonly call: unknown
}

/**
 * Begins an upload's operation. Returns the file to create, and any session left by an earlier call: a session that outlives the call's
 * record supplies the file's id.
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
