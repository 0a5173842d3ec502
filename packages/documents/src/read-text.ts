import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type DocumentText, LongText } from './long-text.ts'
import type { FileFacts, Refusal } from './outcome.ts'
import { shortText } from './short-text.ts'
import type { Reply } from './worker.ts'

/** Maximum size of a file to read, in bytes. */
export const maxDocumentBytes = 32 * 1024 ** 2

/** Heap of the thread that reads a file, in MiB. With the file, its text and the code, memory stays below 200 MB. */
const heapMb = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 16 }

/** Maximum memory that a thread may use, including what libraries unpack outside its heap, and its timeout, in milliseconds. */
const maxGrowthBytes = 200 * 1024 ** 2
const maxMs = 20_000
const watchMs = 50

/** Maximum number of bytes copied at a time. */
const copiedBytes = 1024 ** 2

/** A file's text, or the reason why it has none. */
export type Reading = DocumentText | { readonly refusal: Refusal }

/** Settles when the last queued file has been read. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Reads a file's text in a separate thread, unless it is short and plain. Files are read one after another, so that many files
 * need no more memory than one. Rejects only with `signal`'s reason.
 */
export async function readText(bytes: Uint8Array, facts: FileFacts, signal: AbortSignal): Promise<Reading> {
  if (bytes.byteLength > maxDocumentBytes) return { refusal: 'too_large' }
  const short = shortText(bytes, facts.mediaType)
  if (short) return short
  const before = turn
  const reading = before.then(async () => inThread(bytes, facts, signal))
  turn = reading.catch(() => undefined)
  return reading
}

/** Copies a file for a thread. Lets the event loop run between parts, because copying is slow on some machines. */
async function copied(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.byteLength)
  for (let at = 0; at < bytes.byteLength; at += copiedBytes) {
    copy.set(bytes.subarray(at, at + copiedBytes), at)
    await setImmediate()
  }
  return copy
}

async function inThread(bytes: Uint8Array, { name, mediaType }: FileFacts, signal: AbortSignal): Promise<Reading> {
  signal.throwIfAborted()
  const { workerUrl } = await import('./worker.ts')
  const [startedAt, memory] = [performance.now(), process.memoryUsage.rss()]
  const copy = await copied(bytes)
  const worker = new Worker(new URL(workerUrl), {
    workerData: { document: { bytes: copy, name, mediaType } },
    transferList: [copy.buffer],
    resourceLimits: heapMb,
    // Keeps the output of libraries out of the log and the protocol.
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Reading>()
  const abort = () => {
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort)
  worker.once('message', (reply: Reply) => {
    resolve('refusal' in reply ? reply : { ...reply, text: new LongText(reply.text) })
  })
  // The thread's heap was full, or a library failed in a callback.
  worker.once('error', (error: NodeJS.ErrnoException) => {
    resolve({ refusal: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_large' : 'broken' })
  })
  worker.once('exit', () => {
    resolve({ refusal: 'broken' })
  })
  const watch = setInterval(() => {
    const growth = process.memoryUsage.rss() - memory
    if (growth > maxGrowthBytes || performance.now() - startedAt > maxMs) resolve({ refusal: 'too_large' })
  }, watchMs)
  try {
    return await promise
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
