import { ManualClock } from '@mcp-toolkits/core/testing'
import { connectTasks } from '@mcp-toolkits/testing'
import { runsPostgres, useReplicas } from '@mcp-toolkits/testing/postgres'
import { describe, expect, test } from 'vitest'
import { pseudoRandomBytes } from './contents.ts'
import { uploading } from './uploading.ts'

describe.runIf(runsPostgres())('tasks on replicas', () => {
  const replicas = useReplicas()

  /** Two replicas for one account, of which the first works on an upload whose source keeps the last piece back. */
  async function twoReplicas() {
    const { start } = replicas()
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>()
    const clock = new ManualClock()
    const content = pseudoRandomBytes(300_000)
    const hold = () => {
      ask(undefined)
      return released
    }
    const first = await uploading({ content, etag: '"v1"', hold }, { shared: await start(), clock })
    const environment = { FILE_STORAGE_ALLOW_PRIVATE_URLS: first.from.host }
    const second = await first.restarted({ shared: await start(), environment, clock })
    const [client, other] = [await connectTasks(first.fetch), await connectTasks(second.fetch)]
    const beginning = client.begin('FileStorage_UploadFile', { file_name: 'new.bin', source_url: first.from.url })
    await asked
    await clock.advance(2_000)
    const task = other.task(await beginning)
    return {
      first,
      second,
      clock,
      task,
      release: () => {
        release(undefined)
      },
      async [Symbol.asyncDispose]() {
        await second[Symbol.asyncDispose]()
        await first[Symbol.asyncDispose]()
      },
    }
  }

  test('any of them knows a task', async () => {
    await using where = await twoReplicas()
    const { first, task, release } = where
    expect(await task.snapshot()).toMatchObject({ status: 'working' })
    release()
    await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
    expect(first.emulator.store.named('new.bin')).toHaveLength(1)
  })

  test('any of them can cancel it', async () => {
    await using where = await twoReplicas()
    const { first, clock, task } = where
    await task.cancel()
    await clock.advance(1_000)
    await expect.poll(async () => (await task.snapshot()).status).toBe('cancelled')
    expect(first.emulator.store.named('new.bin')).toEqual([])
  })

  test('another one goes on with it, without a client', async () => {
    await using where = await twoReplicas()
    const { first, second, clock, task, release } = where
    await second.resume()
    await first.close()
    release()
    await clock.advance(30_000)
    await expect.poll(() => first.emulator.store.named('new.bin').length).toBe(1)
    await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
    expect(first.emulator.store.named('new.bin')).toHaveLength(1)
  })
})
