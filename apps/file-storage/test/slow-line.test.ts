import { ManualClock, manualScope } from '@mcp-toolkits/core/testing'
import { ResponseTimeout } from '@mcp-toolkits/core/upstream'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { driveClient } from '../src/drive/client.ts'
import { md5, pseudoRandomBytes } from './contents.ts'
import { source } from './source.ts'

test.for([3_000_000, 20_000_001])('sends %i bytes in smaller chunks over a slow connection', async (size) => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const lengths: number[] = []
  const tooMuch: number[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { byteLength } = await request.clone().arrayBuffer()
    if (byteLength > 1_100_000) {
      tooMuch.push(byteLength)
      throw new ResponseTimeout('Nothing was heard.')
    }
    if (request.method === 'PUT' && byteLength > 0) lengths.push(byteLength)
    return emulator.fetch(request, { signal: init?.signal ?? null })
  }
  await using from = await source({ content: pseudoRandomBytes(size) })
  await using server = await connect(fileStorage, {
    fetch,
    environment: { FILE_STORAGE_ACCESS_TOKEN: 't', FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host },
    clock: new ManualClock(),
  })
  await server.call('FileStorage.UploadFile', { file_name: 'new.bin', source_url: from.url })
  expect(emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(from.served.content)])
  expect(lengths.slice(0, -1).every((length) => length % 262_144 === 0)).toBe(true)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(size)
  // A size that was too large is not tried again, nor any larger one.
  expect(tooMuch).toEqual([...new Set(tooMuch)].sort((one, other) => other - one))
  await emulator.close()
})

test('ends a request without a response after its timeout, and at once when the call ends', async () => {
  const hanging: typeof fetch = (_input, init) => {
    const { promise, reject } = Promise.withResolvers<Response>()
    init?.signal?.addEventListener('abort', () => {
      reject(new Error('Aborted.'))
    })
    return promise
  }
  const clock = new ManualClock()
  const drive = driveClient({ fetch: hanging, url: 'https://www.googleapis.com', clock })
  const transfer = { to: 'drive/v3/files/1', method: 'GET', isRetry: false, silenceMs: 8_000, read: () => Promise.resolve(1) }
  const silent = expect(drive.transfer(transfer, manualScope({ clock }))).rejects.toThrow(ResponseTimeout)
  await clock.advance(8_000)
  await silent
  const cancellation = new AbortController()
  const cancelled = expect(drive.transfer(transfer, manualScope({ clock, signal: cancellation.signal }))).rejects.toThrow('Enough.')
  await clock.advance(0)
  cancellation.abort(new Error('Enough.'))
  await cancelled
})
