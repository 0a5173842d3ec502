import { source, type Served, type TestSource } from './source.ts'
import { storage, type Storage, type StorageOptions } from './storage.ts'

export interface UploadingStorage extends Storage {
  readonly from: TestSource
}

/** A server that may fetch from a source on this machine. */
export async function uploading(served: Partial<Served> = {}, options: StorageOptions = {}): Promise<UploadingStorage> {
  const from = await source(served)
  const server = await storage({ allowPrivateUrls: [from.host], ...options })
  return {
    ...server,
    from,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await from[Symbol.asyncDispose]()
    },
  }
}
