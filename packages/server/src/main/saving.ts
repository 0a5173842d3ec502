import { createHash, randomUUID, type Hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Content, ErrorBody } from '@mcp-toolkits/core'
import type { Answer } from '../answer.ts'
import type { DownloadTools } from '../definition.ts'
import type { ListedTool } from '../listing.ts'
import type { CallOptions, Toolbox } from '../toolbox.ts'
import { UsageError } from './usage.ts'

export interface Saving {
  readonly toolbox: Pick<Toolbox, 'call' | 'listing'>
  readonly downloads: DownloadTools
  readonly prefix: string
  readonly tool: ListedTool
  readonly args: unknown
  /** The file to write, which must not be there. */
  readonly file: string
}

/** How often a call may fail in a row, and how often a file may change while it is read. */
const mostFailures = 6
const mostChanges = 3
const longestWaitMs = 60_000

/**
 * Calls a tool and writes the content that it hands out to a new file: under another name until it is complete and its md5 is right.
 * Parts that fail for the moment are asked for again. Gives the tool's result, with what was written. Throws `UsageError` for a file
 * that cannot be written.
 */
export async function saved(saving: Saving, options: CallOptions): Promise<Answer> {
  const file = path.resolve(saving.file)
  refuseExisting(file)
  const draft = `${file}.${randomUUID().slice(0, 8)}.part`
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw notWritable(saving.file, error)
  })
  try {
    const answer = await written(saving, handle, options)
    await handle.close()
    if (!answer.ok) return answer
    await moved(draft, file)
    return { ok: true, data: { ...answer.data, saved_to: file } }
  } finally {
    await handle.close().catch(() => undefined)
    await rm(draft, { force: true })
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new UsageError(`${file} is there already, and nothing is overwritten. Name another file, or remove it.`)
}

function notWritable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return new UsageError(`${file} cannot be written${code}. Name a file in a folder that is there.`)
}

/** Gives a file its name unless somebody else has it by now. */
async function moved(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch {
    // Some file systems have no links; and who has the name is told better than by the error.
    refuseExisting(file)
    await rename(draft, file)
  }
}

async function written(saving: Saving, handle: FileHandle, options: CallOptions): Promise<Answer> {
  for (let changes = 0; ; changes += 1) {
    await handle.truncate(0)
    const answer = await writtenOnce(saving, new Target(handle), options)
    if (answer.ok || answer.error.code !== 'conflict' || changes === mostChanges) return answer
  }
}

async function writtenOnce({ tool, args, ...saving }: Saving, target: Target, options: CallOptions): Promise<Answer> {
  const { toolbox, downloads, prefix } = saving
  const first = await insistent(() => toolbox.call(tool, args, { signal: options.signal }), options.signal)
  if (!first.ok) return first
  await target.append(first.content)
  if (tool.name !== downloads.whole) return first
  const { bytes, md5 } = downloads.expected(first.data)
  const partTool = toolbox.listing.find(`${prefix}.${downloads.part}`)
  let next = downloads.next(first.data)
  while (next !== undefined) {
    if (!partTool) throw new UsageError(`A file of ${bytes} bytes is read with ${downloads.part}, which --tools hides.`)
    const wanted = next
    const part = await insistent(() => toolbox.call(partTool, wanted, { signal: options.signal }), options.signal)
    if (!part.ok) return part
    await target.append(part.content)
    options.progress?.(target.bytes, bytes, `of ${bytes} bytes`)
    next = downloads.next(part.data)
  }
  return target.bytes === bytes && (md5 === undefined || md5 === target.md5()) ? first : { ok: false, error: mismatch }
}

const mismatch: ErrorBody = {
  code: 'conflict',
  message: 'The file changed while it was read: what came does not match its size and md5. Nothing was written. Make the call again.',
  retryable: true,
}

/** Repeats a call that may succeed in a moment. */
async function insistent(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    const answer = await call()
    if (answer.ok || !answer.error.retryable || failures === mostFailures) return answer
    const asked = (answer.error.retry_after_seconds ?? 0) * 1000
    if (asked > longestWaitMs) return answer
    await delay(Math.max(asked, 250 * 2 ** failures * Math.random()), undefined, { signal })
  }
}

/** The file as it is being written. */
class Target {
  readonly #handle: FileHandle
  readonly #hash: Hash = createHash('md5')
  bytes = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async append(content: Content | undefined): Promise<void> {
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
