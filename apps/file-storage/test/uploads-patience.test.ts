import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import { dataDirectory, upload, uploading, type UploadingStorage } from './uploading.ts'

const unit = 262_144
const content = pseudoRandomBytes(32 * unit + 1)

/** A source that sends a chunk every five seconds, except during a request to Drive. */
async function slowSource(served: { readonly etag?: string }) {
  const clock = new ManualClock()
  let requests = 0
  const server = await uploading(
    { content, ...served },
    {
      clock,
      dataDirectory: await dataDirectory(),
      inFront: (drive) => async (input, init) => {
        requests += 1
        return drive(input, init).finally(() => (requests -= 1))
      },
    },
  )
  server.from.served.pace = async () => {
    await expect.poll(() => requests).toBe(0)
    await clock.advance(5_000)
  }
  return server
}

async function slowCall({ client, from }: UploadingStorage) {
  const pace = from.served.pace
  let [reports, before] = [0, -1]
  const onprogress = () => void (reports += 1)
  from.served.pace = async () => {
    // The bytes that the source sent have arrived.
    await expect.poll(() => reports > before).toBe(true)
    before = reports
    await pace?.()
  }
  const args = { file_name: 'new.bin', source_url: from.url }
  const { isError, content: blocks } = await client.callTool({ name: upload, arguments: args }, { onprogress, timeout: 600_000 })
  from.served.pace = pace
  return { isError: isError === true, text: JSON.stringify(blocks) }
}

test('ends before the host stops waiting, and continues in the next call until there is exactly one file', async () => {
  await using server = await slowSource({ etag: '"v1"' })
  const calls: { readonly isError: boolean; readonly text: string }[] = []
  while (calls.length < 12 && calls.at(-1)?.isError !== false) calls.push(await slowCall(server))
  expect(calls.length).toBeGreaterThanOrEqual(4)
  expect(calls.at(-1)?.isError).toBe(false)
  for (const { text } of calls.slice(0, -1)) {
    expect(text).toContain('\\"retryable\\":true')
    expect(text).toContain('Repeat the identical call: it continues from there.')
  }
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
  expect(server.from.sentBytes()).toBeLessThan(content.length + calls.length * 3 * unit)
})

test('says that a source without a validator cannot be continued', async () => {
  await using server = await slowSource({})
  const { isError, text } = await slowCall(server)
  expect(isError).toBe(true)
  expect(text).toContain('\\"retryable\\":false')
  expect(text).toContain('a repeated call would start over')
  expect(server.emulator.store.named('new.bin')).toEqual([])
  await expect.poll(() => server.from.connections()).toBe(0)
})

test('says that a source that sends less than Drive stores at a time cannot be continued', async () => {
  const clock = new ManualClock()
  const drip = { from: 0, bytes: 20_000, wait: () => clock.advance(10_000) }
  await using server = await uploading({ content, etag: '"v1"', drip }, { clock, dataDirectory: await dataDirectory() })
  const args = { file_name: 'new.bin', source_url: server.from.url }
  const { retryable, message } = await server.fails(upload, args)
  expect([retryable, message]).toEqual([false, expect.stringContaining('a repeated call would get no further. Give another link')])
  expect(server.emulator.store.named('new.bin')).toEqual([])
})
