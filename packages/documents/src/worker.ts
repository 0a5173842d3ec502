import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { type DocumentKind, type FileFacts, type Refusal, Refused } from './outcome.ts'

/** This module's address, at which a thread starts. The bundle keeps it in a separate file, because only a thread needs its imports. */
export const workerUrl = import.meta.url

type Task = FileFacts & { readonly bytes: Uint8Array }

/** A thread's reply. */
export type Reply =
  | {
      readonly kind: DocumentKind
      readonly text: Uint8Array<ArrayBuffer>
      readonly digest: string
      readonly pagesWithoutText: readonly number[]
    }
  | { readonly refusal: Refusal }

async function answer({ bytes, ...facts }: Task): Promise<Reply> {
  const { extract } = await import('./extract.ts')
  try {
    const { kind, text, pagesWithoutText = [] } = await extract(bytes, facts)
    const units = new Uint8Array(new ArrayBuffer(text.length * 2))
    Buffer.from(units.buffer).write(text, 'utf16le')
    return { kind, text: units, digest: hash('sha256', units), pagesWithoutText }
  } catch (error) {
    // Libraries may fail in any way on a damaged file.
    return { refusal: error instanceof Refused ? error.refusal : 'broken' }
  }
}

function taskIn(data: unknown): Task | undefined {
  return typeof data === 'object' && data !== null && 'document' in data ? readTask(data.document) : undefined
}

function readTask(given: unknown): Task | undefined {
  if (typeof given !== 'object' || given === null || !('bytes' in given && 'name' in given && 'mediaType' in given)) return undefined
  const { bytes, name, mediaType } = given
  return bytes instanceof Uint8Array ? { bytes, name: String(name), mediaType: String(mediaType) } : undefined
}

// The module is also loaded just for its address.
const task = taskIn(workerData)
if (task && parentPort) {
  const reply = await answer(task)
  parentPort.postMessage(reply, 'text' in reply ? [reply.text.buffer] : [])
}
