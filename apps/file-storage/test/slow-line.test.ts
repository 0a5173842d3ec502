import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { exchange, Silence } from '../src/transfer/exchange.ts'
import { md5, noise } from './contents.ts'
import { source } from './source.ts'

test.for([3_000_000, 20_000_001])('over a line on which nothing large gets through, %i bytes go in smaller chunks', async (size) => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const lengths: number[] = []
  const tooMuch: number[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { byteLength } = await request.clone().arrayBuffer()
    if (byteLength > 1_100_000) {
      tooMuch.push(byteLength)
      throw new Silence('Nothing was heard.')
    }
    if (request.method === 'PUT' && byteLength > 0) lengths.push(byteLength)
    return emulator.fetch(request, init)
  }
  await using from = await source({ content: noise(size) })
  await using server = await connect(fileStorage, {
    fetch,
    environment: { FILE_STORAGE_ACCESS_TOKEN: 't' },
    allowPrivateUrls: [from.host],
  })
  await server.call('FileStorage.UploadFile', { file_name: 'new.bin', source_url: from.url })
  expect(emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(from.served.content)])
  expect(lengths.slice(0, -1).every((length) => length % 262_144 === 0)).toBe(true)
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(size)
  // What was too much is not tried again, nor anything larger.
  expect(tooMuch).toEqual([...new Set(tooMuch)].sort((one, other) => other - one))
  await emulator.close()
})

test('a request of which nothing is heard ends', async () => {
  const { signal } = new AbortController()
  const hanging = (until: AbortSignal) => {
    const { promise, reject } = Promise.withResolvers<Response>()
    until.addEventListener('abort', () => {
      reject(new Error('Aborted.'))
    })
    return promise
  }
  await expect(exchange({ send: hanging, read: () => Promise.resolve(1) }, { silentMs: 5, signal })).rejects.toThrow(Silence)
  const giveUp = new AbortController()
  const sending = exchange({ send: hanging, read: () => Promise.resolve(1) }, { silentMs: 60_000, signal: giveUp.signal })
  giveUp.abort(new Error('Enough.'))
  await expect(sending).rejects.toThrow('Enough.')
})
