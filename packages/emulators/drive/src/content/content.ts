import { createHash, hash, randomUUID } from 'node:crypto'
import {
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { refuseLink } from '@mcp-toolkits/sqlite'
import { badRequest } from '../http/errors.ts'
import { generateContent } from './generated.ts'

/** Content stored on disk. */
export interface StoredContent {
  /** The file's name. */
  readonly key: string
  readonly size: number
  readonly md5: string
}

/** Bytes of a request, piece by piece. */
export type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The content of all files, each in a file on disk. */
export interface ContentStore {
  readonly put: (bytes: Uint8Array) => StoredContent
  /** The bytes from `start` to `end`, both inclusive. */
  readonly read: (key: string, range: { readonly start: number; readonly end: number }) => ReadableStream
  /** The first bytes of stored content. */
  readonly sample: (key: string, length: number) => Promise<Uint8Array>
  /** Removes contents, except kept ones. */
  readonly remove: (keys: Iterable<string | null>) => void
  /** Writes a body to an upload's draft, up to a limit, and returns the body's length. */
  readonly write: (draft: string, body: Body, range?: { readonly position: number; readonly limit: number }) => Promise<number>
  /** Turns a complete draft into content. Throws `DriveError`, and drops the draft, if it is shorter than `size`. */
  readonly finish: (draft: string, size: number) => Promise<StoredContent>
  readonly drop: (draft: string) => void
  /** Removes all contents and drafts, except kept ones. */
  readonly empty: () => void
  /** True for a file that is kept although no item needs it; undefined if there are no such files. */
  isKept: ((name: string) => boolean) | undefined
  /** Directory of the files; created on first use. */
  readonly directory: () => string
  readonly close: () => void
}

/** Opens the content store: beside the database's file, or in a temporary directory if there is none. */
export function openContentStore(file: string | undefined): ContentStore {
  const beside = file === undefined ? undefined : `${file}.contents`
  let directory: string | undefined
  const pathOf = (key: string) => {
    if (beside === undefined) directory ??= mkdtempSync(join(tmpdir(), 'drive-emulator-'))
    else makeDirectory((directory = beside))
    // Seed keys can contain whole texts, too long for a file name.
    return join(directory, key.length > 100 ? hash('sha256', key) : key)
  }
  const removeAll = () => {
    const root = directory ?? beside
    if (root !== undefined) rmSync(root, { recursive: true, force: true })
    directory = undefined
  }
  const store: ContentStore = {
    ...draftFolder(pathOf),
    put(bytes) {
      const key = newKey()
      writeFileSync(pathOf(key), bytes, newFile)
      return { key, size: bytes.byteLength, md5: hash('md5', bytes) }
    },
    read(key, { start, end }) {
      if (end < start) return new Blob([]).stream()
      const path = pathOf(key)
      ensureContent(path, key)
      return Readable.toWeb(createReadStream(path, { fd: openSync(path, reading), start, end, highWaterMark: 256 * 1024 }))
    },
    async sample(key, length) {
      const content = await open(pathOf(key), reading)
      const { buffer, bytesRead } = await content.read(Buffer.alloc(length), 0, length, 0)
      await content.close()
      return buffer.subarray(0, bytesRead)
    },
    remove(keys) {
      if (directory === undefined && beside === undefined) return
      for (const key of keys) if (key !== null && store.isKept?.(key) !== true) rmSync(pathOf(key), { force: true })
    },
    empty() {
      const { isKept } = store
      if (isKept === undefined) {
        removeAll()
        return
      }
      const root = store.directory()
      for (const name of readdirSync(root)) if (!isKept(name)) rmSync(join(root, name), { force: true })
    },
    isKept: undefined,
    directory: () => dirname(pathOf('any')),
    close() {
      if (file === undefined) removeAll()
    },
  }
  return store
}

/** Flags to open a file without following a symbolic link. */
const reading = constants.O_RDONLY | constants.O_NOFOLLOW
const newFile = { mode: 0o600, flag: 'wx' } as const

function makeDirectory(directory: string): void {
  refuseLink(directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
}

const newKey = () => `blob-${randomUUID()}`

/** The folder of unfinished uploads. */
function draftFolder(pathOf: (key: string) => string): Pick<ContentStore, 'write' | 'finish' | 'drop'> {
  const pathOfDraft = (draft: string) => pathOf(`draft-${draft}`)
  return {
    async write(draft, body, { position, limit } = { position: 0, limit: Infinity }) {
      const content = await openDraft(pathOfDraft(draft))
      let length = 0
      try {
        for await (const piece of body) {
          if (length + piece.byteLength <= limit) await writeAll(content, piece, position + length)
          length += piece.byteLength
        }
      } finally {
        await content.close()
      }
      return length
    },
    async finish(draft, size) {
      const path = pathOfDraft(draft)
      const content = await openDraft(path)
      const { size: received } = await content.stat()
      if (received >= size) await content.truncate(size)
      await content.close()
      if (received < size) {
        rmSync(path)
        throw badRequest(`Only ${received} of the ${size} bytes of this upload are stored. Start the upload again.`)
      }
      const md5 = createHash('md5')
      for await (const piece of createReadStream(path, { fd: openSync(path, reading), highWaterMark: 1024 * 1024 }))
        md5.update(piece instanceof Uint8Array ? piece : '')
      const key = newKey()
      renameSync(path, pathOf(key))
      return { key, size, md5: md5.digest('hex') }
    },
    drop(draft) {
      rmSync(pathOfDraft(draft), { force: true })
    },
  }
}

async function writeAll(content: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const { bytesWritten } = await content.write(bytes, done, bytes.byteLength - done, position + done)
    done += bytesWritten
  }
}

/** Opens a draft without truncating it. */
const openDraft = (path: string) => open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)

/** Seed content is generated on first read. */
function ensureContent(path: string, key: string): void {
  if (existsSync(path)) return
  const bytes = generateContent(key)
  if (bytes === undefined) throw new Error(`The content ${key} is missing.`)
  // Another process may be doing the same.
  const unfinished = `${path}.${randomUUID()}`
  writeFileSync(unfinished, bytes, newFile)
  renameSync(unfinished, path)
}
