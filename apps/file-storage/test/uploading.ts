import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { contentOf, md5 } from './contents.ts'
import { source, type Served, type TestSource } from './source.ts'
import { storage, type Storage, type StorageOptions } from './storage.ts'

export const upload = 'FileStorage.UploadFile'

export interface UploadingStorage extends Storage {
  readonly from: TestSource
}

/** A server that may fetch from a source on this machine. */
export async function uploading(served: Partial<Served> = {}, options: StorageOptions = {}): Promise<UploadingStorage> {
  const from = await source(served)
  const server = await storage({ ...options, environment: { FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host, ...options.environment } })
  return {
    ...server,
    from,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await from[Symbol.asyncDispose]()
    },
  }
}

/** Checks the only file with that name, byte for byte, and returns its id. */
export async function expectStored(server: UploadingStorage, name = 'new.bin'): Promise<string> {
  const files = server.emulator.store.named(name).filter(({ trashed }) => trashed === 0)
  expect(files.length).toBe(1)
  const [{ id, md5: sum } = { id: '', md5: '' }] = files
  expect(sum).toBe(md5(server.from.served.content))
  expect((await contentOf(server, id)).equals(server.from.served.content)).toBe(true)
  return id
}

/** Starts an upload and cancels it while its second chunk is being sent. */
export async function cancelUpload(
  server: Pick<UploadingStorage, 'emulator' | 'sent' | 'client' | 'logLines'>,
  args: Record<string, unknown>,
): Promise<void> {
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'hang' } })
  const cancellation = new AbortController()
  const before = server.sent.length
  const puts = () => server.sent.slice(before).filter((request) => request.startsWith('PUT'))
  const call = server.client.callTool({ name: upload, arguments: args }, { signal: cancellation.signal })
  await expect.poll(() => puts().length).toBe(2)
  cancellation.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => server.logLines.join('')).toContain('"outcome":"cancelled"')
  expect(puts().length).toBe(2)
  server.emulator.faults.clear()
}

/** A data directory for several processes. */
export async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The directory with the states of unfinished uploads. */
export const resumeStatesIn = (directory: string) => path.join(directory, 'file-storage', 'uploads')
