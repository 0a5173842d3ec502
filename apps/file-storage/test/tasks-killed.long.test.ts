import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connectTaskProgram } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import { source } from './source.ts'
import { dataDirectory } from './uploading.ts'

const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')

/** With LONG=full 1,000 kills. */
const [uploads, kills] = process.env['LONG'] === 'full' ? [100, 10] : [1, 3]

/** Longest life of a process, in milliseconds. */
const lifeMs = 700

test('uploads that are tasks are finished once, whenever their processes are killed', { timeout: uploads * 60_000 }, async () => {
  const content = pseudoRandomBytes(9_000_001)
  // Longer than a call waits, and longer than most processes live.
  await using from = await source({ content, etag: '"v1"', pace: () => setTimeout(80) })
  const emulator = driveEmulator({ seed: 'empty', accessToken: 'test-token' })
  const vendor = await emulator.listen({ port: 0 })
  const directory = await dataDirectory()
  const start = () =>
    connectTaskProgram([main, '--data-dir', directory, '--allow-private-urls', from.host], {
      FILE_STORAGE_ACCESS_TOKEN: 'test-token',
      FILE_STORAGE_API_URL: vendor.url,
    })
  for (let upload = 0; upload < uploads; upload += 1) {
    const name = `${upload}.bin`
    let server = await start()
    const id = await server.begin('FileStorage_UploadFile', { file_name: name, source_url: from.url })
    for (let kill = 0; kill < kills; kill += 1) {
      await setTimeout(Math.random() * lifeMs)
      server.kill()
      await server[Symbol.asyncDispose]()
      server = await start()
    }
    const task = server.task(id)
    await expect.poll(async () => (await task.snapshot()).status, { timeout: 50_000, interval: 200 }).toBe('completed')
    expect(await task.result()).toMatchObject({ status: 'completed', result: { structuredContent: { file: { name } } } })
    expect(emulator.store.named(name).map((file) => file.md5)).toEqual([md5(content)])
    await server[Symbol.asyncDispose]()
  }
  await vendor.close()
  await emulator.close()
})
