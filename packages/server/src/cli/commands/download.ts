import { createHash, randomUUID, type Hash } from 'node:crypto'
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { systemClock, type Clock } from '@mcp-toolkits/core/base'
import { type ErrorBody, isSystemError } from '@mcp-toolkits/core/errors'
import type { FileContent } from '@mcp-toolkits/core/tool'
import { backoffMs } from '@mcp-toolkits/core/upstream'
import type { Answer } from '../../mcp/answers/answer.ts'
import type { DownloadTools, ListedTool } from '../../mcp/definition.ts'
import type { CallOptions, Toolbox } from '../../mcp/calls/toolbox.ts'
import { UsageError } from '../command.ts'

export interface DownloadRequest {
  readonly toolbox: Pick<Toolbox, 'call' | 'listing'>
  readonly downloads: DownloadTools
  readonly prefix: string
  readonly tool: ListedTool
  readonly args: unknown
  /** The file to write, which must not exist. */
  readonly file: string
  readonly clock?: Clock
}

/** How often a call may fail in a row, and how often the file may change while it is read. */
const maxFailures = 6
const maxChanges = 3
const maxWaitMs = 60_000
const backoff = { baseDelayMs: 500, maxDelayMs: 16_000 }

/**
 * Calls a tool and writes the content of its result to a new file: under another name until it is complete and its md5 is right. Parts
 * that fail temporarily are requested again. Returns the tool's result with the path, or the error of the disk. Throws `UsageError` for
 * a file that cannot be created.
 */
export async function download(request: DownloadRequest, options: CallOptions): Promise<Answer> {
  const file = path.resolve(request.file)
  checkNotFolder(request.file)
  await checkNotExisting(file)
  // Not the target's name with a suffix: that name may already have the greatest length.
  const draft = path.join(path.dirname(file), `.${randomUUID().slice(0, 8)}.part`)
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw notWritable(request.file, error)
  })
  try {
    const answer = await writeContent(request, handle, options)
    await handle.close()
    if (!answer.ok) return answer
    await claimName(draft, file)
    return { ok: true, data: { ...answer.data, saved_to: file } }
  } catch (error) {
    if (isSystemError(error)) return { ok: false, error: diskError(file, error.code) }
    throw error
  } finally {
    await handle.close().catch(() => undefined)
    await rm(draft, { force: true })
  }
}

function checkNotFolder(file: string): void {
  if (!/(^|\/)\.{0,2}$/.test(file.replaceAll(path.sep, '/'))) return
  throw new UsageError(`"${file}" names a folder. Name the file to write, such as ${path.join(file, 'file.bin')}.`)
}

/** A dangling link counts as existing. */
async function checkNotExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined
    throw notWritable(file, error)
  })
  if (found) throw alreadyExists(file)
}

function alreadyExists(file: string): UsageError {
  return new UsageError(`${file} exists already, and nothing is overwritten. Name another file, or remove it.`)
}

function notWritable(file: string, error: unknown): UsageError {
  const code = isSystemError(error) ? ` (${error.code})` : ''
  return new UsageError(`${file} cannot be written${code}. Name a file in a folder that exists.`)
}

function diskError(file: string, code: string): ErrorBody {
  const message = `${file} could not be written (${code}), and no part of it was kept. Free some space if its disk is full, or name a file elsewhere, and make the call again.`
  return { code: 'unavailable', message, retryable: false }
}

/** Renames the draft unless the name is taken by now: creating the empty file claims the name. */
async function claimName(draft: string, file: string): Promise<void> {
  const claim = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw isSystemError(error) && error.code === 'EEXIST' ? alreadyExists(file) : error
  })
  await claim.close()
  try {
    await rename(draft, file)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

async function writeContent(request: DownloadRequest, handle: FileHandle, options: CallOptions): Promise<Answer> {
  for (let changes = 0; ; changes += 1) {
    await handle.truncate(0)
    const answer = await writeOnce(request, new ContentWriter(handle), options)
    if (answer.ok || answer.error.code !== 'conflict' || changes === maxChanges) return answer
  }
}

async function writeOnce({ tool, args, ...request }: DownloadRequest, target: ContentWriter, options: CallOptions): Promise<Answer> {
  const { toolbox, downloads, prefix, clock = systemClock } = request
  const { signal } = options
  const callRepeatedly = (call: () => Promise<Answer>) => withRepeats(call, (ms) => clock.sleep(ms, signal))
  const first = await callRepeatedly(() => toolbox.call(tool, args, { signal }))
  if (!first.ok) return first
  await target.append(first.content)
  if (tool.name !== downloads.whole) return first
  const { bytes, md5 } = downloads.expected(first.data)
  const partTool = toolbox.listing.find(`${prefix}.${downloads.part}`)
  let next = downloads.next(first.data)
  while (next !== undefined) {
    if (!partTool) throw new UsageError(`A file of ${bytes} bytes is read with ${downloads.part}, which --tools hides.`)
    const nextArgs = next
    const part = await callRepeatedly(() => toolbox.call(partTool, nextArgs, { signal }))
    if (!part.ok) return part
    await target.append(part.content)
    options.progress?.(target.bytes, bytes, `of ${bytes} bytes`)
    next = downloads.next(part.data)
  }
  return target.bytes === bytes && (md5 === undefined || md5 === target.md5()) ? first : { ok: false, error: mismatch }
}

const mismatch: ErrorBody = {
  code: 'conflict',
  message:
    'The file changed while it was being read: the content does not match its size and md5. Nothing was written. Make the call again.',
  retryable: true,
}

/** Repeats a call that failed temporarily. */
async function withRepeats(call: () => Promise<Answer>, wait: (ms: number) => Promise<unknown>): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    const answer = await call()
    if (answer.ok || !answer.error.retryable || failures === maxFailures) return answer
    const asked = (answer.error.retry_after_seconds ?? 0) * 1000
    if (asked > maxWaitMs) return answer
    await wait(Math.max(asked, backoffMs(failures, backoff)))
  }
}

/** The file as it is being written. */
class ContentWriter {
  readonly #handle: FileHandle
  readonly #hash: Hash = createHash('md5')
  bytes = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async append(content: FileContent | undefined): Promise<void> {
    if (!content) return
    for (let done = 0; done < content.bytes.byteLength;) {
      const { bytesWritten } = await this.#handle.write(content.bytes, done, content.bytes.byteLength - done, this.bytes + done)
      done += bytesWritten
    }
    this.#hash.update(content.bytes)
    this.bytes += content.bytes.byteLength
  }

  md5(): string {
    return this.#hash.digest('hex')
  }
}
