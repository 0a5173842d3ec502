import { ManualClock } from '@mcp-toolkits/core/testing'
import { connectTasks } from '@mcp-toolkits/testing'
import { runsPostgres, useReplicas } from '@mcp-toolkits/testing/postgres'
import { describe, expect, test } from 'vitest'
import { ambiguousUpload, questionOf } from './ambiguous-upload.ts'
import { pseudoRandomBytes } from './contents.ts'
import { uploading } from './uploading.ts'

describe.runIf(runsPostgres())('tasks on replicas', () => {
  const replicas = useReplicas()

  /** Two replicas for one account. The first is working on an upload whose source holds back the last piece. */
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

  test('another one continues it without a client', async () => {
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

  /** Two replicas for one account. The first has asked for the folder of an upload. */
  async function twoAskingReplicas() {
    const { start } = replicas()
    const first = await ambiguousUpload({ shared: await start() })
    const { clock, from, id, client } = first
    const second = await first.restarted({ shared: await start(), environment: { FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host }, clock })
    const other = await connectTasks(second.fetch)
    return {
      ...first,
      tasks: [client.task(id), other.task(id)] as const,
      async [Symbol.asyncDispose]() {
        await second[Symbol.asyncDispose]()
        await first[Symbol.asyncDispose]()
      },
    }
  }

  test('any of them asks the same question, and takes its answer, once', async () => {
    await using where = await twoAskingReplicas()
    const { tasks, folder, emulator } = where
    const [question, same] = await Promise.all(tasks.map(questionOf))
    expect(same).toEqual(question)
    const answer = { [question?.key ?? '']: { action: 'accept' as const, content: { destination_folder_path_or_id: folder } } }
    await Promise.all(tasks.map((task) => task.update(answer)))
    for (const task of tasks) await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
    expect(emulator.store.named('new.bin').map(({ parentId }) => parentId)).toEqual([folder])
  })

  test('an answer waits while another replica looks at the task', async () => {
    const shared = await replicas().start()
    let looks = 0
    const hold: typeof shared.records.hold = async (key) => ((looks -= 1) < 0 ? shared.records.hold(key) : undefined)
    await using where = await ambiguousUpload({ shared: { ...shared, records: { ...shared.records, hold } } })
    const { client, id, folder, emulator } = where
    const task = client.task(id)
    const { key } = await questionOf(task)
    looks = 2
    await task.update({ [key]: { action: 'accept', content: { destination_folder_path_or_id: folder } } })
    await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
    expect(emulator.store.named('new.bin').map(({ parentId }) => parentId)).toEqual([folder])
  })

  test('an unanswered question ends the task with its suggestions, whichever is asked', async () => {
    await using where = await twoAskingReplicas()
    const { tasks, clock, emulator } = where
    await clock.advance(11 * 60_000)
    for (const task of tasks.toReversed()) {
      await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
      expect(JSON.stringify(await task.result())).toMatch(/ambiguous.*suggestions/)
    }
    expect(emulator.store.named('new.bin')).toEqual([])
  })
})
