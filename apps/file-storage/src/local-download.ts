import { isUtf8 } from 'node:buffer'
import { createHash, randomUUID, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdtemp, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringMember, systemClock, type Clock } from '@mcp-toolkits/core/base'
import { type ErrorBody, isSystemError } from '@mcp-toolkits/core/errors'
import type { CallResult, FileContent } from '@mcp-toolkits/core/tool'
import { backoffMs } from '@mcp-toolkits/core/upstream'
import type { Answer, CalledServer, FileCall, OpenFile } from '@mcp-toolkits/server'
import { print, UsageError } from '@mcp-toolkits/server/cli'

export interface DownloadRequest extends Pick<FileCall, 'tool' | 'args' | 'signal'> {
  readonly server: CalledServer
  /** The file to write, which must not exist. */
  readonly file: string
  readonly clock?: Clock
}

/** Writes a call's download to a file, or prints it for `-`. Throws `UsageError`. */
export function openOutput({ file, json, output, ...call }: FileCall): Promise<OpenFile> {
  const isPrinted = file === '-'
  if (isPrinted && json) throw new UsageError('--output - prints the content, so it does not go with --json.')
  return Promise.resolve({
    isPrinted,
    call: (args, server) => (isPrinted ? printContent({ ...call, args, server }, output) : download({ ...call, args, server, file })),
  })
}

/**
 * Downloads to a temporary file, and prints it once complete, so that no program reads half of it. Throws `UsageError` if a terminal would
 * receive bytes that are not text.
 */
async function printContent(request: Omit<DownloadRequest, 'file'>, output: FileCall['output']): Promise<Answer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'download-'))
  try {
    const file = path.join(directory, 'content')
    const answer = await download({ ...request, file })
    if (!answer.ok) return answer
    if (output.isTTY === true) await print(output, await readText(file))
    // The command itself says why its output cannot be written, unless the reader closed the pipe early.
    else await pipeline(createReadStream(file), output, { end: false }).catch(() => undefined)
    return answer
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readText(file: string): Promise<string> {
  const content = await readFile(file)
  if (isUtf8(content) && !content.includes(0)) return content.toString('utf8')
  throw new UsageError('The content is not text, so a terminal cannot show it. Pipe it to a program, or name a file: --output FILE.')
}

const partName = 'DownloadFileChunk'

/** Maximum number of times that a call may fail in a row, and that a file may change while it is read. */
const maxFailures = 6
const maxChanges = 3
const maxWaitMs = 60_000
const backoff = { baseDelayMs: 500, maxDelayMs: 16_000 }

/**
 * Calls a tool and writes its result's content to a new file: under a temporary name until it is complete and its MD5 matches. Parts that
 * fail temporarily are requested again. Returns the tool's result with the path, or a disk error. Throws `UsageError` for a file that
 * cannot be created.
 */
export async function download(request: DownloadRequest): Promise<Answer> {
  const file = path.resolve(request.file)
  checkNotFolder(request.file)
  await checkNotExisting(file)
  // A random name instead of the target's name with a suffix, because the target's name may already have the maximum length.
  const draft = path.join(path.dirname(file), `.${randomUUID().slice(0, 8)}.part`)
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw notWritable(request.file, error)
  })
  try {
    const answer = await writeContent(request, handle)
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

/** Checks that a file does not exist; a dangling link counts as existing. */
async function checkNotExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined
    throw notWritable(file, error)
  })
  if (found) throw alreadyExists(file)
}

function alreadyExists(file: string): UsageError {
  return new UsageError(`${file} already exists, and nothing is overwritten. Name a different file, or remove it.`)
}

function notWritable(file: string, error: unknown): UsageError {
  const code = isSystemError(error) ? ` (${error.code})` : ''
  return new UsageError(`${file} cannot be written${code}. Name a file in an existing folder.`)
}

function diskError(file: string, code: string): ErrorBody {
  const message = `${file} could not be written (${code}), and no part of it was kept. Free some space if its disk is full, or name a file elsewhere, and retry the call.`
  return { code: 'unavailable', message, retryable: false }
}

/** Renames the draft unless the name has been taken: creating an empty file claims the name. */
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

async function writeContent(request: DownloadRequest, handle: FileHandle): Promise<Answer> {
  for (let changes = 0; ; changes += 1) {
    await handle.truncate(0)
    const answer = await writeOnce(request, new ContentWriter(handle))
    if (answer.ok || answer.error.code !== 'conflict' || changes === maxChanges) return answer
  }
}

async function writeOnce({ tool, args, server, signal, clock = systemClock }: DownloadRequest, target: ContentWriter): Promise<Answer> {
  const callRepeatedly = (call: () => Promise<Answer>) => withRepeats(call, (ms) => clock.sleep(ms, signal))
  const first = await callRepeatedly(() => server.call(tool, args))
  if (!first.ok) return first
  await target.append(first.content)
  if (tool.name !== 'DownloadFile') return first
  const { total_size: size, md5_checksum: md5 } = first.data
  const bytes = Number(size)
  const partTool = server.find(`FileStorage.${partName}`)
  let next = nextPart(first.data)
  while (next !== undefined) {
    if (!partTool) throw new UsageError(`A file of ${bytes} bytes is read with ${partName}, which --tools hides.`)
    const nextArgs = next
    const part = await callRepeatedly(() => server.call(partTool, nextArgs))
    if (!part.ok) return part
    await target.append(part.content)
    server.progress?.(target.bytes, bytes, `of ${bytes} bytes`)
    next = nextPart(part.data)
  }
  return target.bytes === bytes && (typeof md5 !== 'string' || md5 === target.md5()) ? first : { ok: false, error: mismatch }
}

/** The arguments for the first or next part, from the previous result; undefined if nothing is missing. */
function nextPart({ file, requires_chunked_download: isLarge, file_id: fileId, next_start_byte: start }: CallResult['data']) {
  if (isLarge === true) return { file_path_or_id: stringMember(file, 'id'), start_byte: 0 }
  return typeof start === 'number' ? { file_path_or_id: fileId, start_byte: start } : undefined
}

const mismatch: ErrorBody = {
  code: 'conflict',
  message: 'The file changed while it was being read: the content does not match its size and MD5. Nothing was written. Retry the call.',
  retryable: true,
}

/** Retries a call that failed temporarily. */
async function withRepeats(call: () => Promise<Answer>, wait: (ms: number) => Promise<unknown>): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    const answer = await call()
    if (answer.ok || !answer.error.retryable || failures === maxFailures) return answer
    const asked = (answer.error.retry_after_seconds ?? 0) * 1000
    if (asked > maxWaitMs) return answer
    await wait(Math.max(asked, backoffMs(failures, backoff)))
  }
}

/** The file being written. */
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
