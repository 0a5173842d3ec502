import { isObject } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { connectTasks, type TaskClient } from '@mcp-toolkits/testing'
import { expect } from 'vitest'
import { pseudoRandomBytes } from './contents.ts'
import { folderType, type StorageOptions } from './storage.ts'
import { uploading } from './uploading.ts'

/** A server with an upload into an ambiguous folder. The upload becomes a task before Drive shows that the folder is ambiguous. */
export async function ambiguousUpload(options: StorageOptions = {}) {
  const { promise: opened, resolve: open } = Promise.withResolvers<undefined>()
  const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>()
  const clock = new ManualClock()
  const server = await uploading(
    { content: pseudoRandomBytes(300_000) },
    {
      clock,
      ...options,
      inFront: (drive) => async (input, init) => {
        if (String(input instanceof Request ? input.url : input).includes('q=')) {
          ask(undefined)
          await opened
        }
        return drive(input, init)
      },
    },
  )
  const [folder = ''] = ['one', 'other'].map((key) => server.emulator.addItem({ key, name: 'Team', type: folderType }))
  const client = await connectTasks(server.fetch, { clientCapabilities: { elicitation: {} } })
  const beginning = client.begin('FileStorage_UploadFile', {
    ...{ file_name: 'new.bin', source_url: server.from.url },
    destination_folder_path_or_id: 'Team',
  })
  await asked
  await clock.advance(2_000)
  const id = await beginning
  open(undefined)
  await expect.poll(async () => (await client.task(id).snapshot()).status).toBe('input_required')
  return { ...server, client, clock, id, folder }
}

/** The question that a task asks: one request, with its key. */
export async function questionOf(task: ReturnType<TaskClient['task']>) {
  const inputRequests = (await task.snapshot()).raw['inputRequests']
  const [key = '', ...others] = isObject(inputRequests) ? Object.keys(inputRequests) : []
  expect(others).toEqual([])
  return { inputRequests, key }
}
