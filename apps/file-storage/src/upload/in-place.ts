import { hash } from 'node:crypto'
import { type Locks, withCallLock } from '@mcp-toolkits/core/base'
import { Conflict, quote, TooLarge, Unavailable } from '@mcp-toolkits/core/errors'
import type { Identity } from '@mcp-toolkits/core/tool'
import { Attempts, withRetry } from '@mcp-toolkits/core/upstream'
import { transferRetryPolicy } from '../drive/client.ts'
import { maxChunkBytes } from '../drive/content/downloads.ts'
import { fileText } from '../drive/content/file-text.ts'
import { readMedia } from '../drive/content/media.ts'
import {
  authorOf,
  type DriveRevision,
  getHead,
  headFields,
  keepRevision,
  listRevisions,
  startOfRevision,
} from '../drive/content/revisions.ts'
import { editText, type TextEdit } from '../drive/content/text-edits.ts'
import { byteSize, type DriveItem } from '../drive/items.ts'
import {
  cancelSession,
  ChunkWindow,
  openSession,
  resumeSession,
  sendContent,
  SessionExpired,
  type SessionOptions,
  type SessionStatus,
} from './drive-session.ts'
import { mediaTypeOf } from './media-type.ts'
import { Patience } from './patience.ts'
import { Source } from './source.ts'
import { requireTextFile, textSource, type TextSource } from './text-source.ts'
import type { UploadOptions, UploadServices } from './upload-machine.ts'

export type ContentChange = { readonly sourceUrl: string } | { readonly content: string } | TextEdit

export interface InPlace {
  readonly fileId: string
  readonly change: ContentChange
  /** The revision that the caller has read; any other revision is a conflict. */
  readonly expected: string | undefined
  /**
   * The record that a path led to, which may be outdated because searches lag. An edit needs no newer record if the bytes match this one.
   */
  readonly found?: DriveItem | undefined
}

export interface WrittenInPlace {
  readonly file: DriveItem
  readonly revision: string
  /** The revision that was replaced; the current one if nothing was written. */
  readonly previous: string
  readonly changed: boolean
  /** True if an earlier call had already written the content. */
  readonly isEarlier?: boolean
  /** The latest revision that someone else has made since. */
  readonly later?: DriveRevision | undefined
}

type Head = Awaited<ReturnType<typeof getHead>>

interface Job extends UploadServices, Omit<UploadOptions, 'isFolderKnown'> {
  readonly request: Omit<InPlace, 'found'>
  readonly found: DriveItem | undefined
  readonly attempts: Attempts
  readonly sourceAttempts: Attempts
  readonly patience: Patience
  /** The call's key in the resume states. */
  readonly call: unknown
}

/** Maximum number of times that a write is started, if its sessions keep expiring. */
const maxStarts = 3

/**
 * Writes a file's content once, no matter how often requests are repeated. Drive replaces whatever a file contains and accepts no
 * condition, so the revisions are checked afterwards for intervening changes. Throws `Conflict` if there are any, so that nothing is
 * lost silently.
 */
export async function writeInPlace(
  { found, ...request }: InPlace,
  { locks, ...services }: UploadServices & { readonly locks: Locks },
  options: Omit<UploadOptions, 'isFolderKnown'>,
): Promise<WrittenInPlace> {
  const begun = await options.operation.begin()
  const writeTo = (fileId: string) =>
    withCallLock(locks, `content ${fileId}`, options.scope, async () => {
      const patience = new Patience(options)
      const { scope, onStored } = patience
      const [attempts, sourceAttempts] = [new Attempts(transferRetryPolicy, scope), new Attempts(transferRetryPolicy, scope)]
      const about = { request: { ...request, fileId }, found, call: ['WriteFile', { ...request, fileId }] }
      try {
        return await write({ ...services, ...options, ...about, attempts, sourceAttempts, patience, scope, onStored }, begun, 1)
      } finally {
        patience.end()
      }
    })
  return writeTo(request.fileId).catch((error: unknown) => {
    if (error instanceof IsShortcut) return writeTo(error.targetId)
    throw error
  })
}

/** Thrown for a shortcut's id, before anything is written: lock, revisions and retries belong to its target. */
class IsShortcut extends Error {
  readonly targetId: string

  constructor(targetId: string) {
    super(`A shortcut to ${targetId}`)
    this.targetId = targetId
  }
}

async function write(job: Job, begun: Identity | undefined, starts: number): Promise<WrittenInPlace> {
  const { operation, resumeStates, call, request } = job
  const { head, bytes } = await readHead(job)
  const isExpected = request.expected === undefined || request.expected === head.headRevisionId
  if (!begun && !isExpected) throw await changedSince(job, head, request.expected)
  let content = begun ? undefined : contentOf(job, head, bytes)
  if (content && content.md5 === head.md5Checksum && content.md5 !== '') return unchanged(head)
  let identity = begun ?? (await operation.claim(`${head.headRevisionId} ${content?.md5 ?? ''}`))
  let left: OpenSession | undefined
  if (identity.isRepeat) {
    const earlier = await earlierWrite(job, identity, head)
    if ('written' in earlier) return earlier.written
    left = earlier.left
    if (!left && head.headRevisionId !== baseOf(identity).base) {
      if (!isEdit(request.change) || !isExpected) throw await changedSince(job, head, baseOf(identity).base)
      // An edit is redone on the file's current content.
      content = contentOf(job, head, bytes)
      identity = await operation.renew(`${head.headRevisionId} ${content.md5}`)
    }
  }
  try {
    const sent = await send(job, { head, identity, content: content ?? contentOf(job, head, bytes), left })
    return await finish(job, identity, sent)
  } catch (error) {
    if (!(error instanceof SessionExpired) || starts === maxStarts) throw error
    await resumeStates.remove(call, stateId(identity))
    return write(job, { ...identity, isRepeat: true }, starts + 1)
  }
}

const isEdit = (change: ContentChange): change is TextEdit => 'append' in change || 'replace' in change

/** The revision that a write replaces, and the written content's MD5, which is empty until known. */
function baseOf({ value }: Identity): { readonly base: string; readonly md5: string } {
  const [base = '', md5 = ''] = value.split(' ')
  return { base, md5 }
}

const stateId = ({ value }: Identity) => hash('sha256', value)

/** The file's current state and, for an edit, exactly that revision's bytes. */
async function readHead(job: Job): Promise<{ readonly head: Head; readonly bytes?: Uint8Array }> {
  const { drive, request, scope, attempts } = job
  let known = headFound(job)
  for (;;) {
    const head = known ?? (await getHead(drive, request.fileId, scope))
    if (head.id !== request.fileId) throw new IsShortcut(head.id)
    if (!isEdit(request.change)) return { head }
    if (byteSize(head) === 0) return { head, bytes: new Uint8Array() }
    if (byteSize(head) > maxChunkBytes)
      throw new TooLarge(
        `${quote(head.name)} has ${head.size} bytes, and only files of at most ${maxChunkBytes} can be edited. Pass the whole new content, or source_url. Nothing was changed.`,
      )
    const { bytes } = await readMedia(drive, { id: head.id, start: 0, length: maxChunkBytes, item: head }, scope)
    if (known ? hash('md5', bytes) === head.md5Checksum : isContentOf(head, bytes)) return { head, bytes }
    if (known) {
      known = undefined
      continue
    }
    const changing = new Unavailable('The file changed while it was being read. Nothing was changed. Retry the call.')
    if (!(await attempts.waitForNext(changing))) throw changing
  }
}

const isContentOf = ({ md5Checksum }: Head, bytes: Uint8Array) => md5Checksum === undefined || hash('md5', bytes) === md5Checksum

/** The record that a path led to, if an edit can start from it. */
function headFound({ found, request: { fileId, change, expected } }: Job): Head | undefined {
  const { id, headRevisionId, trashed } = found ?? {}
  if (!found || headRevisionId === undefined || !isEdit(change) || id !== fileId || trashed === true || byteSize(found) === 0)
    return undefined
  return expected === undefined || expected === headRevisionId ? { ...found, headRevisionId, lastModifyingUser: undefined } : undefined
}

/** The content that a call writes. The MD5 of a URL's content is not yet known. */
function contentOf({ request: { change }, fetchSource }: Job, head: Head, bytes?: Uint8Array): TextSource & { readonly md5: string } {
  if ('sourceUrl' in change) return { sourceUrl: change.sourceUrl, fetchSource, md5: '' }
  if ('content' in change) requireTextFile(head, change.content)
  const whole = 'content' in change ? Buffer.from(change.content) : editText(bytes ?? new Uint8Array(), change, head.name)
  return { ...textSource(whole), md5: hash('md5', whole) }
}

const unchanged = (head: Head): WrittenInPlace => ({
  file: head,
  revision: head.headRevisionId,
  previous: head.headRevisionId,
  changed: false,
})

/** A session left by an earlier call, and how much of its content Drive has. */
interface OpenSession {
  readonly address: string
  readonly stored: number
}

/** Finds what an earlier call wrote, or the session in which to resume it. */
async function earlierWrite(
  job: Job,
  identity: Identity,
  head: Head,
): Promise<{ readonly written: WrittenInPlace } | { readonly left: OpenSession | undefined }> {
  const { drive, scope, resumeStates, call, attempts, onStored } = job
  const known = baseOf(identity)
  const source = known.md5 === '' ? await openSource(job, contentOf(job, head)) : undefined
  try {
    const taken = await resumeStates.take(call, { id: stateId(identity), etag: source ? source.etag : `"${known.md5}"` })
    const address = taken?.session?.address
    const status = address === undefined ? undefined : await statusOf({ drive, scope, attempts, onStored, address })
    await taken?.release()
    const isCurrent = head.headRevisionId === known.base
    if (isCurrent && !status) return { left: undefined }
    if (isCurrent && status && 'stored' in status) return { left: { address: address ?? '', ...status } }
    // The file has changed since, so no one may complete the session.
    if (status && 'stored' in status) await cancelSession(job, address ?? '')
    await source?.drain()
    const md5 = source ? source.md5() : known.md5
    const item = status && 'item' in status ? status.item : head
    const isWritten = (await revisionsAfter(job, known.base)).revisions.some((revision) => revision.md5Checksum === md5)
    if (!isWritten && !(status && 'item' in status)) return { left: undefined }
    return { written: { ...(await finish(job, identity, { item, md5, isFresh: false })), isEarlier: true } }
  } finally {
    await source?.close()
  }
}

async function statusOf(session: SessionOptions): Promise<SessionStatus | undefined> {
  return resumeSession(session).catch((error: unknown) => {
    if (error instanceof SessionExpired) return undefined
    throw error
  })
}

function openSource({ sourceAttempts: attempts, scope, onData, maxUploadBytes: maxBytes }: Job, content: TextSource): Promise<Source> {
  return Source.open({ fetch: content.fetchSource, url: content.sourceUrl, maxBytes, attempts, scope, onData })
}

interface Sending {
  readonly head: Head
  readonly identity: Identity
  readonly content: TextSource
  readonly left: OpenSession | undefined
}

interface Sent {
  readonly item: DriveItem
  readonly md5: string
  /** True if Drive returned the record in response to the last bytes, so the file cannot have changed since. */
  readonly isFresh: boolean
}

/** Sends the content in a session: Drive never completes a session twice, even if its response is lost. */
async function send(job: Job, { head, identity, content, left }: Sending): Promise<Sent> {
  const { drive, attempts, scope, onStored, resumeStates, call, request } = job
  const source = await openSource(job, content)
  let resumeState: Awaited<ReturnType<typeof resumeStates.save>>
  const release = () => void resumeState?.release()
  scope.signal.addEventListener('abort', release, { once: true })
  try {
    job.patience.follow({ source })
    const window = new ChunkWindow(left?.stored ?? 0)
    if (left) await source.skipTo(left.stored)
    await window.fill(source, source.etag === undefined ? undefined : scope.clock)
    if ('sourceUrl' in request.change && !left) checkPage(source, head, window)
    const address = left?.address ?? (await start(job, head, window.isLast ? window.end : source.length))
    if (source.etag !== undefined) {
      const session = { address, mimeType: head.mimeType, etag: source.etag }
      resumeState = await resumeStates.save(call, { id: stateId(identity), session, at: drive.clock.now() })
    }
    const sent = await sendContent({ drive, attempts, scope, onStored, address }, source, window)
    await source.drain()
    return { item: sent.item, md5: source.md5(), isFresh: sent.isNew }
  } finally {
    scope.signal.removeEventListener('abort', release)
    await resumeState?.release()
    await source.close()
  }
}

/** Throws `InvalidInput` if the content is a web page and the file is not. */
function checkPage({ headers, url }: Source, { name, mimeType }: Head, window: ChunkWindow): void {
  const sources = { header: headers.get('content-type'), sourceUrl: url, finalUrl: url }
  mediaTypeOf({ ...sources, namedType: mimeType, fileName: name, start: window.first() })
}

/** https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
function start({ drive, attempts, scope }: Job, { id, mimeType }: Head, length: number | undefined): Promise<string> {
  const to = `upload/drive/v3/files/${id}?uploadType=resumable&supportsAllDrives=true&fields=${encodeURIComponent(headFields)}`
  const request = { to, method: 'PATCH', body: '{}', mimeType, length }
  return withRetry(attempts, () => openSession(drive, request, { isRetry: attempts.hasFailed, scope }))
}

/** The revisions after a base; `isComplete` is false if the base is no longer listed. */
async function revisionsAfter({ drive, request, scope }: Job, base: string) {
  const all = await listRevisions(drive, request.fileId, scope)
  const index = all.findIndex(({ id }) => id === base)
  return { revisions: all.slice(index + 1), isComplete: index !== -1 }
}

/** Compares the written revision with those before and after it. */
async function finish(job: Job, identity: Identity, sent: Sent): Promise<WrittenInPlace> {
  const { resumeStates, call, attempts } = job
  const { base } = baseOf(identity)
  const { item, md5, isFresh } = sent
  if (isFresh && item.md5Checksum !== undefined && item.md5Checksum !== md5) throw corrupted(item, base)
  for (;;) {
    const { revisions, isComplete } = await revisionsAfter(job, base)
    const isOwn = ({ id, md5Checksum }: DriveRevision) => (isFresh ? id === item.headRevisionId : md5Checksum === md5)
    const index = revisions.findIndex(isOwn)
    const own = revisions[index]
    if (own) {
      await resumeStates.remove(call, stateId(identity))
      const lost = isComplete ? revisions.slice(0, index).filter(({ md5Checksum }) => md5Checksum !== md5) : []
      if (lost.length > 0) throw await overwrote(job, { base, own, lost, item })
      return { file: item, revision: own.id, previous: base, changed: true, later: revisions.slice(index + 1).at(-1) }
    }
    const unseen = new Unavailable(
      'The content was written, but Google Drive does not list its revision yet, so it is unknown whether another change came in between. Repeat the identical call: nothing is written twice.',
    )
    if (!(await attempts.waitForNext(unseen))) throw unseen
  }
}

function corrupted({ name, headRevisionId }: DriveItem, base: string): Unavailable {
  return new Unavailable(
    `What Google Drive stored in ${quote(name)} (revision ${headRevisionId ?? 'unknown'}) is not what was sent. Its previous content is revision ${base}. Ask a person to check the file.`,
    { retryable: false },
  )
}

interface Overwritten {
  readonly base: string
  readonly own: DriveRevision
  readonly lost: readonly DriveRevision[]
  readonly item: DriveItem
}

/** Keeps the revisions made in between, and reports them. */
async function overwrote({ drive, scope }: Job, { base, own, lost, item }: Overwritten): Promise<Conflict> {
  const kept = await Promise.all(
    lost.map(({ id }) =>
      keepRevision(drive, { fileId: item.id, id }, scope).then(
        () => true,
        () => false,
      ),
    ),
  )
  const listed = lost.map((revision) => `${revision.id} (${authorOf(revision)})`).join(', ')
  const fate = kept.every(Boolean) ? 'kept forever' : 'kept for 30 days'
  const last = lost.at(-1)?.id ?? ''
  const held = await startOfRevision(drive, { fileId: item.id, id: last, bytes: maxShownBytes }, scope).catch(() => undefined)
  const those = lost.length === 1 ? 'that revision' : 'those revisions'
  return new Conflict(
    `Another change to ${quote(item.name)} came in between: ${listed} followed ${base}, which this call had read, and was then replaced by ${own.id}, which this call wrote. What ${those} held is no longer in the file, but ${fate} among its revisions.${held === undefined ? '' : ` ${last} held: ${quote(held, maxShown)}.`} Do not repeat the call: what it wrote is in the file. Write what is missing from ${those} into it.`,
  )
}

/** Maximum number of characters of a file's content to show in a conflict error. */
const maxShown = 2_000
/** Maximum number of bytes to read in order to get those characters. */
const maxShownBytes = 4 * maxShown

/** Error for a file that has changed since the caller read it, with its current content. */
async function changedSince(job: Job, head: Head, expected = ''): Promise<Conflict> {
  const { drive, scope, request } = job
  const now = await readMedia(
    drive,
    { id: head.id, start: 0, length: Math.min(maxShownBytes, Math.max(1, byteSize(head))), item: head },
    scope,
  )
    .then(({ bytes, total }) => fileText({ bytes, mimeType: head.mimeType, start: 0, isLast: bytes.byteLength === total }).data.text)
    .catch(() => undefined)
  const holds = now === undefined ? '' : ` It now holds: ${quote(now, maxShown)}.`
  return new Conflict(
    `${quote(head.name)} has changed: it is now revision ${head.headRevisionId} (${authorOf(head)}), no longer ${expected}. Nothing was written.${holds} Take that into account, and pass expected_revision ${head.headRevisionId}.`,
    isEdit(request.change) ? { next: { change: { expected_revision: head.headRevisionId } } } : {},
  )
}
