import { InvalidInput, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope, Operation } from '@mcp-toolkits/core/tool'
import { Attempts, type GuardedFetch, ResponseTimeout, withRetry } from '@mcp-toolkits/core/upstream'
import { type DriveClient, transferRetryPolicy } from '../drive/client.ts'
import { IdTaken } from '../drive/errors.ts'
import { corruptFileRemains, createFile, findCreatedItem, isCreated, isTrashedWithParent, removeCorruptFile } from '../drive/files.ts'
import { byteSize, type DriveItem } from '../drive/items.ts'
import { createdInTrash, createInFolder, resolveFolder, type ResolvedFolder, undoInTrash } from '../drive/folders.ts'
import { mediaTypeOf } from './media-type.ts'
import type { ResumeStateStore } from './resume-state-files.ts'
import { Patience } from './patience.ts'
import { chunkUnit } from './running-md5.ts'
import { Source } from './source.ts'
import {
  cancelSession,
  ChunkWindow,
  lostPart,
  resumeSession,
  sendContent,
  SessionExpired,
  startSession,
  type SessionOptions,
} from './drive-session.ts'
import {
  type ActiveState,
  type Creating,
  type Done,
  type Failed,
  hasTarget,
  type OpeningSession,
  type Preparing,
  type Progress,
  type Recovering,
  type Removing,
  type Resuming,
  type Sending,
  type Starting,
  type UploadResult,
  type UploadState,
  type Verifying,
  type WithTarget,
} from './upload-phases.ts'
import { beginUpload, type Target } from './upload-target.ts'

/** An upload's request, which is also its identity: an equal request resumes an unfinished upload. */
export interface UploadRequest {
  readonly name: string
  /** The id of the folder or of a shortcut to it. */
  readonly parent: string
  readonly sourceUrl: string
  /** The type named by the caller. */
  readonly mimeType: string | undefined
}

/** Services that all uploads use. */
export interface UploadServices {
  readonly drive: DriveClient
  /** Fetches arbitrary URLs, without our token. */
  readonly fetchSource: GuardedFetch
  /** Returns an id that at most one file can be created with. */
  readonly newId: (signal: AbortSignal) => Promise<string>
  readonly resumeStates: ResumeStateStore
  /** Maximum size, in bytes, of an uploaded file. */
  readonly maxUploadBytes: number
}

export interface UploadOptions extends Pick<SessionOptions, 'onStored'> {
  readonly scope: CallScope
  readonly operation: Operation
  /** True if the parent is known to be a folder outside the trash. */
  readonly isFolderKnown: boolean
  /** Called whenever bytes arrive from the source. */
  readonly onData: () => void
  /** Time, in milliseconds, that the caller's host waits; unlimited if absent. */
  readonly patienceMs?: number | undefined
}

/** Maximum size, in bytes, of a single-request upload. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
const maxSingleRequestBytes = 5 * 1024 * 1024
/** Maximum number of times that an upload is started, if its sessions keep expiring. */
const maxStarts = 3
interface Job extends UploadServices, UploadOptions {
  readonly request: UploadRequest
  /** Attempts against Drive, counted separately from the source's, because both are in use at the same time. */
  readonly attempts: Attempts
  readonly sourceAttempts: Attempts
  /** The call's key in the resume states. */
  readonly call: unknown
}

/** Creates one file with a URL's content, no matter how often requests are repeated. Throws typed errors. */
export async function upload(request: UploadRequest, services: UploadServices, options: UploadOptions): Promise<UploadResult> {
  const patience = new Patience(options)
  const { scope } = patience
  const [attempts, sourceAttempts] = [new Attempts(transferRetryPolicy, scope), new Attempts(transferRetryPolicy, scope)]
  const { onStored } = patience
  const job = { request, call: ['UploadFile', request], attempts, sourceAttempts, ...services, ...options, scope, onStored }
  const { signal } = scope
  let state: UploadState = { phase: 'starting', starts: 1, folder: { folderId: request.parent }, isUnexpectedPage: false }
  // Immediately, before a retry can arrive.
  const release = () => void state.resumeState?.release()
  signal.addEventListener('abort', release, { once: true })
  try {
    while (state.phase !== 'done') {
      if (state.phase === 'failed') throw state.error
      const previous: ActiveState = state
      if ('source' in previous) patience.follow(previous)
      state = await advance(job, previous)
      if ('source' in previous && !('source' in state)) await previous.source.close()
    }
    return state.uploaded
  } finally {
    patience.end()
    signal.removeEventListener('abort', release)
    await state.resumeState?.release()
  }
}

async function advance(job: Job, state: ActiveState): Promise<UploadState> {
  // The previous phase may have run long without using Drive.
  job.attempts.restart()
  try {
    switch (state.phase) {
      case 'starting':
        return await openSource(job, state)
      case 'preparing':
        return await prepare(job, state)
      case 'creating':
        return await createInOneRequest(job, state)
      case 'openingSession':
        return await openSession(job, state)
      case 'resuming':
        return await resume(job, state)
      case 'sending':
        return await send(job, state)
      case 'verifying':
        return await verify(job, state)
      case 'recovering':
        return await recover(job, state)
      case 'abandoning':
        await cancelSession(job, state.address)
        return { phase: 'failed', error: state.error }
      case 'removing':
        try {
          return { phase: 'failed', error: await removeCorruptFile(job.drive, state.item) }
        } finally {
          await giveUpId(job)
        }
    }
  } catch (error) {
    return await afterError(job, state, error)
  }
}

async function afterError(job: Job, state: ActiveState, error: unknown): Promise<UploadState> {
  if (error instanceof IdTaken && hasTarget(state)) return { ...state, phase: 'recovering' }
  const isRecoverable = error instanceof Unauthenticated || (error instanceof ToolError && error.toJSON().retryable)
  // A permanent error ends a session, unless the file exists: it can always be recovered.
  const keepsSession = job.scope.signal.aborted || isRecoverable || state.phase === 'recovering'
  if (!keepsSession) await forgetSession(job, state)
  const resumeState = keepsSession ? state.resumeState : undefined
  if (!(error instanceof SessionExpired) || !('starts' in state)) {
    if (state.phase === 'sending' && !keepsSession) return { phase: 'abandoning', address: state.address, error }
    return { phase: 'failed', error, resumeState }
  }
  if (state.starts < maxStarts) return startAgain(job, state)
  const message = 'Google Drive lost the upload several times before it was complete. Retry the call.'
  return { phase: 'failed', error: new Unavailable(message), resumeState }
}

async function forgetSession({ call, resumeStates }: Job, { resumeState }: Pick<Progress, 'resumeState'>): Promise<void> {
  if (resumeState) await resumeStates.remove(call, resumeState.id)
}

async function startAgain(job: Job, { starts, folder, isUnexpectedPage, ...state }: Progress, target = state.target): Promise<Starting> {
  await forgetSession(job, state)
  return { phase: 'starting', starts: starts + 1, target, folder, isUnexpectedPage }
}

async function openSource(job: Job, state: Starting): Promise<Preparing> {
  const { fetchSource: fetch, request, sourceAttempts: attempts, scope, onData, maxUploadBytes: maxBytes } = job
  const session = state.target ? state.resumeState?.session : await job.resumeStates.peek(job.call)
  const options = { fetch, url: request.sourceUrl, maxBytes, attempts, scope, onData }
  const source = await Source.open(options, session?.mark && { etag: session.etag, mark: session.mark })
  return { ...state, phase: 'preparing', source }
}

/** Decides how the content is sent. */
async function prepare(job: Job, { source, ...state }: Preparing): Promise<Starting | Resuming | Creating | OpeningSession> {
  const { request } = job
  const { target, resumeState } = state.target ? { ...state, target: state.target } : await beginUpload(job, source)
  const session = resumeState?.session?.etag === source.etag ? resumeState?.session : undefined
  // The source was opened at another upload's position.
  if (source.start > (session?.mark?.bytes ?? 0)) return { ...state, phase: 'starting', target, resumeState }
  if (session) return { ...state, phase: 'resuming', source, target, resumeState, session }
  const window = new ChunkWindow()
  await window.fill(source, source.etag === undefined ? undefined : job.scope.clock)
  const { type, isUnexpectedPage } = mediaTypeOf({
    namedType: request.mimeType,
    header: source.headers.get('content-type'),
    fileName: request.name,
    sourceUrl: request.sourceUrl,
    finalUrl: source.url,
    start: window.first(),
  })
  const content = { ...state, source, target, isUnexpectedPage, window, file: { id: target.fileId, name: request.name, mimeType: type } }
  return { ...content, phase: window.isLast && window.end <= maxSingleRequestBytes ? 'creating' : 'openingSession' }
}

/** Thrown if the connection is too slow to send everything at once. */
class TooSlow extends Error {}

async function createInOneRequest(job: Job, state: Creating): Promise<Verifying | OpeningSession> {
  const { drive, attempts, scope, onStored } = job
  const { file, window } = state
  try {
    const { created: item, folder } = await inFolder(job, state, (parent) =>
      createFile(drive, { ...file, parent, bytes: window.first() }, { isRetry: attempts.hasFailed, scope }).catch((error: unknown) => {
        throw error instanceof ResponseTimeout ? new TooSlow() : error
      }),
    )
    await onStored(window.end, window.end)
    return { ...state, phase: 'verifying', item, isNew: true, isResumed: false, folder }
  } catch (error) {
    if (error instanceof TooSlow) return { ...state, phase: 'openingSession', firstChunkBytes: 2 * chunkUnit }
    throw error
  }
}

async function openSession(job: Job, state: OpeningSession): Promise<Sending | Recovering> {
  const { drive, attempts, scope, resumeStates, call } = job
  const { source, window, file, target } = state
  // Drive refuses a used id only after receiving every byte.
  if (target.isRepeat && (await isCreated(drive, file.id, scope))) return { ...state, phase: 'recovering' }
  const checked = { ...state, folder: await checkFolder(job, state) }
  const length = window.isLast ? window.end : source.length
  const { created: address, folder } = await inFolder(job, checked, (parent) =>
    startSession(drive, { ...file, parent, length }, { isRetry: attempts.hasFailed, scope }),
  )
  const session = source.etag === undefined ? undefined : { address, mimeType: file.mimeType, etag: source.etag }
  const resumeState = session && (await resumeStates.save(call, { id: file.id, session, at: target.at }))
  return { ...state, phase: 'sending', folder, address, isResumed: false, resumeState }
}

/** Checks that the folder is usable before a large file is sent; for a small file, the response shows that. */
async function checkFolder({ drive, scope, request, isFolderKnown }: Job, { folder }: Progress): Promise<ResolvedFolder> {
  if (isFolderKnown || folder.folderId !== request.parent) return folder
  const { isTrashed, ...resolved } = await resolveFolder(drive, request.parent, scope)
  if (!isTrashed) return resolved
  throw new InvalidInput(`The folder ${request.parent} is in the trash. Restore it, or pass a different folder. Nothing was uploaded.`)
}

/** Creates something in the folder; if Drive refuses a shortcut to a folder, follows it. */
async function inFolder<Created>(
  { drive, attempts, scope, request, isFolderKnown }: Job,
  { folder }: Progress,
  create: (parent: string) => Promise<Created>,
): Promise<{ readonly created: Created; readonly folder: ResolvedFolder }> {
  const attempt = (parent: string) => withRetry(attempts, () => create(parent))
  if (isFolderKnown || folder.folderId !== request.parent) return { created: await attempt(folder.folderId), folder }
  return createInFolder(drive, { parent: request.parent, scope }, attempt)
}

async function resume({ drive, attempts, scope, onStored }: Job, state: Resuming): Promise<Sending | Recovering> {
  const { source } = state
  const { address } = state.session
  const status = await resumeSession({ drive, attempts, scope, onStored, address })
  if ('item' in status) return { ...state, phase: 'recovering' }
  if (status.stored < source.bytesRead) throw lostPart()
  // The bytes after the mark are read too, because the whole file's MD5 needs them.
  await source.skipTo(status.stored)
  if (status.stored > 0) await onStored(status.stored, source.length)
  return { ...state, phase: 'sending', address, window: new ChunkWindow(status.stored), isResumed: true }
}

async function send({ drive, attempts, scope, ...job }: Job, state: Sending): Promise<Verifying> {
  const { source, window, address, firstChunkBytes, resumeState } = state
  const onStored: SessionOptions['onStored'] = async (stored, total) => {
    await job.onStored(stored, total)
    const mark = source.markAt(stored)
    if (mark) await resumeState?.keep(mark)
  }
  const sent = await sendContent({ drive, attempts, scope, onStored, address, firstChunkBytes }, source, window)
  return { ...state, phase: 'verifying', ...sent }
}

/** Reads the rest of a source, to compare it with a file in Drive. False if the source fails. */
async function readRest({ scope }: Job, source: Source): Promise<boolean> {
  try {
    await source.drain()
    return true
  } catch (error) {
    if (scope.signal.aborted || !(error instanceof ToolError)) throw error
    return false
  }
}

/** Verifies the content. If it differs from the source, the file is removed only if it is certainly new. */
async function verify(job: Job, state: Verifying): Promise<Done | Removing | Failed> {
  const { item, source, isNew, isResumed, target } = state
  if (item.id !== target.fileId) {
    throw new Unavailable(
      'Google Drive answered with a different file than was sent, so whether yours was stored is unknown. Retry the call: it cannot create a duplicate.',
    )
  }
  // Drive may have the rest from an earlier call.
  const isRead = await readRest(job, source)
  if (hasContentOf(item, source)) return finish(job, state, { item, earlierCall: isResumed ? 'partlySent' : earlierCallOf(target) })
  if (!isRead && !isNew) return finish(job, state, { item, earlierCall: 'createdUnread' })
  await forgetSession(job, state)
  if (isNew) return { phase: 'removing', item }
  await giveUpId(job)
  const problem = 'What Google Drive stored is not what was sent: it was corrupted in transit or has changed since'
  return { phase: 'failed', error: corruptFileRemains(item, problem) }
}

/** Lets a retry create a different file. If no new id is stored, the retry finds this file and reports it. */
async function giveUpId({ operation, newId, scope: { signal } }: Job): Promise<void> {
  await newId(signal)
    .then(operation.renew)
    .catch(() => undefined)
}

function earlierCallOf({ isRepeat, isReplacement }: Target): UploadResult['earlierCall'] {
  if (isReplacement) return 'deleted'
  return isRepeat ? 'started' : undefined
}

function hasContentOf(item: DriveItem, source: Source): boolean {
  return byteSize(item) === source.bytesRead && (item.md5Checksum === undefined || item.md5Checksum === source.md5())
}

/**
 * Recovers an existing file. Only this server knows the id, so an earlier attempt must have created the item. The item may since have
 * changed.
 */
async function recover(job: Job, state: Recovering): Promise<Done | Starting> {
  const { source, target } = state
  const item = await findCreatedItem(job.drive, target.fileId, job)
  if (!item || item.explicitlyTrashed === true) {
    if (target.isReplacement)
      throw new Unavailable('Google Drive reports that the file already exists but does not show it. Retry the call later.')
    const { value: fileId } = await job.operation.renew(await job.newId(job.scope.signal))
    return startAgain(job, state, { ...target, fileId, isReplacement: true })
  }
  const isRead = await readRest(job, source)
  if (hasContentOf(item, source)) return finish(job, state, { item, earlierCall: target.isRepeat ? 'created' : undefined })
  return finish(job, state, { item, earlierCall: isRead ? 'createdOtherContent' : 'createdUnread' })
}

async function finish(
  job: Job,
  { folder, isUnexpectedPage, target, resumeState }: WithTarget,
  { item, earlierCall }: Pick<UploadResult, 'item' | 'earlierCall'>,
): Promise<Done> {
  if (isTrashedWithParent(item) && earlierCall?.startsWith('created')) throw createdInTrash(item)
  if (isTrashedWithParent(item)) {
    try {
      throw await undoInTrash(job.drive, item)
    } finally {
      await giveUpId(job)
    }
  }
  if (resumeState || target.isRepeat) await job.resumeStates.remove(job.call, target.fileId)
  return { phase: 'done', uploaded: { item, folder, isUnexpectedPage, earlierCall } }
}
