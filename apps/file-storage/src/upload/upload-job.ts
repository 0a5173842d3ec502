import { InvalidInput, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import type { GuardedFetch } from '@mcp-toolkits/core/guarded-fetch'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { withRetry, type Attempts } from '@mcp-toolkits/core/retry'
import { ResponseTimeout } from '@mcp-toolkits/core/transport'
import type { DriveClient } from '../drive/client.ts'
import { IdTaken } from '../drive/errors.ts'
import {
  corruptFileRemains,
  createFile,
  findCreatedItem,
  isTrashedWithParent,
  removeCorruptFile,
  type CreatedItem,
  type NewFile,
} from '../drive/files.ts'
import { byteSize } from '../drive/items.ts'
import { createdInTrash, createInFolder, resolveFolder, type ResolvedFolder } from '../drive/folders.ts'
import { mediaTypeOf } from './media-type.ts'
import { isRecent, type ResumeState, type ResumeStateStore, type StoredSession } from './resume-state.ts'
import { Source } from './source.ts'
import {
  cancelSession,
  ChunkWindow,
  chunkUnit,
  resumeSession,
  sendContent,
  SessionExpired,
  startSession,
  type SessionOptions,
} from './upload-session.ts'

/** What identifies a call: an equal request continues an unfinished upload. */
export interface UploadRequest {
  readonly name: string
  /** The id of the folder, or of a shortcut to it. */
  readonly parent: string
  readonly sourceUrl: string
  /** The type that the caller named. */
  readonly mimeType: string | undefined
}

/** What all uploads use. */
export interface UploadServices {
  readonly drive: DriveClient
  /** Fetches arbitrary URLs, without our token. */
  readonly fetchSource: GuardedFetch
  /** Returns an id under which at most one file can be created. */
  readonly newId: (signal: AbortSignal) => Promise<string>
  readonly resumeStates: ResumeStateStore
  /** The largest file that is uploaded, in bytes. */
  readonly maxUploadBytes: number
}

/** What one upload uses. */
export interface UploadOptions extends Pick<SessionOptions, 'onStored'> {
  /** Those of the whole call. */
  readonly attempts: Attempts
  readonly scope: CallScope
  /** Whether the parent is known to be a folder outside the trash. */
  readonly isFolderKnown: boolean
  /** Called whenever bytes arrive from the source. */
  readonly onData: () => void
}

export interface UploadResult {
  readonly item: CreatedItem
  /** The folder that it was created in. */
  readonly folder: ResolvedFolder
  /** Whether the content is an HTML page although nothing announced one. */
  readonly isUnexpectedPage: boolean
  /** What an earlier call has done for it. */
  readonly earlierCall?: 'started it' | 'created it' | 'created it with other content' | undefined
}

/** Files of at most this many bytes take one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
const maxSingleRequestBytes = 5 * 1024 * 1024
/** How often an upload is started whose session expires. */
const maxStarts = 3
/** How often the file turns out to have been created by an earlier call and trashed since. */
const maxDiscarded = 2

interface Job extends UploadServices, UploadOptions {
  readonly request: UploadRequest
  /** Whether an earlier call may have created the file. */
  readonly isRepeat: boolean
}

/** What holds in every state of an unfinished upload. */
interface Progress {
  readonly starts: number
  /** The id that the file gets. */
  readonly fileId?: string | undefined
  readonly folder: ResolvedFolder
  readonly isUnexpectedPage: boolean
  /** What a repeat of the call would need if the upload ended now. */
  readonly resumeState?: ResumeState | undefined
}

/** The source is open. */
interface Reading extends Progress {
  readonly source: Source
}

interface Content extends Reading {
  readonly file: Omit<NewFile, 'parent'>
  readonly window: ChunkWindow
}

type Starting = Progress & { readonly phase: 'starting' }
type Preparing = Reading & { readonly phase: 'preparing' }
type Creating = Content & { readonly phase: 'creating'; readonly previousResumeState: ResumeState | undefined }
type OpeningSession = Content & { readonly phase: 'openingSession'; readonly firstChunkBytes?: number }
type Resuming = Reading & { readonly phase: 'resuming'; readonly session: StoredSession }
type Sending = Reading & {
  readonly phase: 'sending'
  readonly address: string
  readonly window: ChunkWindow
  readonly firstChunkBytes?: number | undefined
  readonly isResumed: boolean
}
type Verifying = Reading & {
  readonly phase: 'verifying'
  readonly item: CreatedItem
  /** Whether it was just created, so that no one can have changed it. */
  readonly isNew: boolean
  readonly isResumed: boolean
}
/** An item has our id already. */
type Recovering = Reading & { readonly phase: 'recovering' }
/** The upload has failed for good, and Drive is asked to discard what it has stored. */
interface Abandoning {
  readonly phase: 'abandoning'
  readonly address: string
  readonly error: unknown
  readonly resumeState?: ResumeState | undefined
}
interface Removing {
  readonly phase: 'removing'
  readonly item: CreatedItem
  readonly resumeState?: undefined
}
interface Done {
  readonly phase: 'done'
  readonly uploaded: UploadResult
  readonly resumeState?: undefined
}
/** An earlier call created the file, which was trashed since: its id cannot be used again. */
interface Discarded {
  readonly phase: 'discarded'
  readonly resumeState?: undefined
}
interface Failed {
  readonly phase: 'failed'
  readonly error: unknown
  readonly resumeState?: ResumeState | undefined
}

type ActiveState = Starting | Preparing | Creating | OpeningSession | Resuming | Sending | Verifying | Recovering | Abandoning | Removing
type UploadState = ActiveState | Done | Discarded | Failed

/** Creates one file with the content behind a URL, however often requests are sent. Throws typed errors. */
export async function upload(request: UploadRequest, services: UploadServices, options: UploadOptions): Promise<UploadResult> {
  const call = ['UploadFile', request]
  for (let attempt = 1; attempt <= maxDiscarded; attempt += 1) {
    const resumeState = await services.resumeStates.take(call)
    const job = { request, isRepeat: resumeState !== undefined, ...services, ...options }
    const progress = { starts: 1, folder: { folderId: request.parent }, isUnexpectedPage: false, resumeState }
    const end = await runToEnd(job, { phase: 'starting', ...progress }, (state) => services.resumeStates.save(call, state))
    if (end.phase === 'done') return end.uploaded
  }
  throw new Unavailable('Google Drive says that the file is there already and shows none, several times. Make the call again later.')
}

/** Runs the state machine. The resume state of a failed upload is saved; on cancellation at once, before a repeat can come. */
async function runToEnd(job: Job, start: Starting, save: (state: ResumeState) => Promise<void>): Promise<Done | Discarded> {
  const { signal } = job.scope
  let state: UploadState = start
  let saving: Promise<void> | undefined
  const saveOnce = () => {
    if (state.resumeState) saving ??= save(state.resumeState)
  }
  signal.addEventListener('abort', saveOnce, { once: true })
  try {
    while (state.phase !== 'done' && state.phase !== 'discarded') {
      if (state.phase === 'failed') {
        if (!signal.aborted) saveOnce()
        await saving
        throw state.error
      }
      const previous: ActiveState = state
      state = await advance(job, previous)
      if ('source' in previous && !('source' in state)) await previous.source.close()
    }
    return state
  } finally {
    signal.removeEventListener('abort', saveOnce)
  }
}

async function advance(job: Job, state: ActiveState): Promise<UploadState> {
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
        return verify(state)
      case 'recovering':
        return await recover(job, state)
      case 'abandoning':
        await cancelSession(job, state.address)
        return { phase: 'failed', error: state.error, resumeState: state.resumeState }
      case 'removing':
        return { phase: 'failed', error: await removeCorruptFile(job.drive, state.item) }
    }
  } catch (error) {
    return afterError(job, state, error)
  }
}

function afterError({ scope: { signal } }: Job, state: ActiveState, error: unknown): UploadState {
  if (error instanceof IdTaken && 'source' in state) return { ...state, phase: 'recovering' }
  const isRecoverable = error instanceof Unauthenticated || (error instanceof ToolError && error.toJSON().retryable)
  // A permanent error ends a session of this call; one of an earlier call was not used yet. A file that exists can always be recovered.
  const keepsSession = signal.aborted || isRecoverable || state.phase === 'recovering' || state.resumeState?.at !== undefined
  const resumeState = keepsSession ? state.resumeState : withoutSession(state.resumeState)
  if (!(error instanceof SessionExpired) || !('starts' in state)) {
    if (state.phase === 'sending' && !keepsSession) return { phase: 'abandoning', address: state.address, error, resumeState }
    return { phase: 'failed', error, resumeState }
  }
  if (state.starts < maxStarts) return startAgain(state, resumeState)
  const message = 'Google Drive has forgotten the upload several times before it was complete. Make the call again.'
  return { phase: 'failed', error: new Unavailable(message), resumeState }
}

function withoutSession(resumeState: ResumeState | undefined): ResumeState | undefined {
  return resumeState && { id: resumeState.id }
}

function startAgain({ starts, fileId, folder, isUnexpectedPage }: Progress, resumeState: ResumeState | undefined): Starting {
  return { phase: 'starting', starts: starts + 1, fileId, folder, isUnexpectedPage, resumeState }
}

async function openSource({ fetchSource, request, attempts, scope, onData, maxUploadBytes }: Job, state: Starting): Promise<Preparing> {
  const source = await Source.open({ fetch: fetchSource, url: request.sourceUrl, maxBytes: maxUploadBytes, attempts, scope, onData })
  return { ...state, phase: 'preparing', source }
}

/** Decides how the content is sent. */
async function prepare({ drive, newId, request, scope }: Job, state: Preparing): Promise<Resuming | Creating | OpeningSession> {
  const { source, resumeState } = state
  if (resumeState?.session && resumeState.session.etag === source.etag) {
    const { id, session } = resumeState
    return { ...state, phase: 'resuming', session, fileId: id, resumeState: { id, session } }
  }
  const recentId = resumeState && isRecent(resumeState, drive.clock.now()) ? resumeState.id : undefined
  const fileId = state.fileId ?? recentId ?? (await newId(scope.signal))
  const window = new ChunkWindow()
  await window.fill(source)
  const { type, isUnexpectedPage } = mediaTypeOf({
    namedType: request.mimeType,
    header: source.headers.get('content-type'),
    fileName: request.name,
    sourceUrl: request.sourceUrl,
    finalUrl: source.url,
    start: window.first(),
  })
  const content = { ...state, fileId, isUnexpectedPage, window, file: { id: fileId, name: request.name, mimeType: type } }
  if (!window.isLast || window.end > maxSingleRequestBytes) return { ...content, phase: 'openingSession' }
  return { ...content, phase: 'creating', previousResumeState: resumeState, resumeState: { id: fileId } }
}

/** The connection is too slow to send everything at once. */
class TooSlow extends Error {}

async function createInOneRequest(job: Job, state: Creating): Promise<Verifying | OpeningSession | Failed> {
  const { drive, attempts, scope, onStored } = job
  const { file, window } = state
  const outcome = { mayExist: false }
  const attempt = async (parent: string) => {
    try {
      return await createFile(drive, { ...file, parent, bytes: window.first() }, { isRetry: attempts.hasFailed, scope })
    } catch (error) {
      outcome.mayExist ||= !isRefusal(error)
      throw error instanceof ResponseTimeout ? new TooSlow() : error
    }
  }
  try {
    const { created: item, folder } = await inFolder(job, state, attempt)
    onStored(window.end, window.end)
    return { ...state, phase: 'verifying', item, isNew: true, isResumed: false, folder }
  } catch (error) {
    if (error instanceof TooSlow) return { ...state, phase: 'openingSession', firstChunkBytes: 2 * chunkUnit }
    if (outcome.mayExist) throw error
    return { phase: 'failed', error, resumeState: state.previousResumeState }
  }
}

/** Whether an error says that nothing was created. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ToolError)) return false
  return error.details.sent === 'no' || !(error instanceof Unavailable || error instanceof IdTaken)
}

async function openSession(job: Job, state: OpeningSession): Promise<Sending> {
  const { drive, attempts, scope, resumeStates } = job
  const { source, window, file } = state
  const checked = { ...state, folder: await checkFolder(job, state) }
  const length = window.isLast ? window.end : source.length
  const { created: address, folder } = await inFolder(job, checked, (parent) =>
    startSession(drive, { ...file, parent, length }, { isRetry: attempts.hasFailed, scope }),
  )
  const session = source.etag === undefined ? undefined : { address, mimeType: file.mimeType, etag: source.etag }
  if (session) void resumeStates.prepare()
  return { ...state, phase: 'sending', folder, address, isResumed: false, resumeState: { id: file.id, session } }
}

/** A large file is not sent before the folder is known to be usable; for a small one the response tells. */
async function checkFolder({ drive, scope, request, isFolderKnown }: Job, { folder }: Progress): Promise<ResolvedFolder> {
  if (isFolderKnown || folder.folderId !== request.parent) return folder
  const { isTrashed, ...resolved } = await resolveFolder(drive, request.parent, scope)
  if (!isTrashed) return resolved
  throw new InvalidInput(
    `The folder ${request.parent} is in the trash. Take it out of there, or pass another folder. Nothing was uploaded.`,
  )
}

/** Creates something in the folder; a shortcut to a folder is followed when Drive refuses it. */
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
  // The stored bytes are read too: the md5 of the whole is not known otherwise.
  await source.skipTo(status.stored)
  if (status.stored > 0) onStored(status.stored, source.length)
  return { ...state, phase: 'sending', address, window: new ChunkWindow(status.stored), isResumed: true }
}

async function send({ drive, attempts, scope, onStored }: Job, state: Sending): Promise<Verifying> {
  const { source, window, address, firstChunkBytes } = state
  const sent = await sendContent({ drive, attempts, scope, onStored, address, firstChunkBytes }, source, window)
  return { ...state, phase: 'verifying', ...sent }
}

/** Only a file that is certainly new is removed if its content differs from the source. */
function verify(state: Verifying): Done | Removing | Failed {
  const { item, source, isNew, isResumed } = state
  if (item.id !== state.fileId) {
    throw new Unavailable(
      'Google Drive answered with another file than the one that was sent, so it is not known whether that was stored. Make the call again: it creates no second file.',
    )
  }
  if (hasContentOf(item, source)) return finish(state, item, isResumed ? 'started it' : undefined)
  if (isNew) return { phase: 'removing', item }
  const problem = 'What Google Drive has stored is not what was sent: it was corrupted in transit, or changed since'
  return { phase: 'failed', error: corruptFileRemains(item, problem) }
}

function hasContentOf(item: CreatedItem, source: Source): boolean {
  return byteSize(item) === source.bytesRead && (item.md5Checksum === undefined || item.md5Checksum === source.md5())
}

/** Only this server knows the id, so an earlier attempt created the item that has it. It may have been changed since. */
async function recover(job: Job, state: Recovering): Promise<Done | Discarded> {
  const item = await findCreatedItem(job.drive, state.fileId ?? '', job)
  if (!item || item.explicitlyTrashed === true) return { phase: 'discarded' }
  await state.source.drain()
  if (!hasContentOf(item, state.source)) return finish(state, item, 'created it with other content')
  return finish(state, item, job.isRepeat ? 'created it' : undefined)
}

function finish({ folder, isUnexpectedPage }: Progress, item: CreatedItem, earlierCall: UploadResult['earlierCall']): Done {
  if (isTrashedWithParent(item)) throw createdInTrash(item)
  return { phase: 'done', uploaded: { item, folder, isUnexpectedPage, earlierCall } }
}
