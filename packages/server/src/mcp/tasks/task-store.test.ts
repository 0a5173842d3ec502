import { join } from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'
import { openLocalState } from '../../storage/local-state.ts'
import type { Task } from './task.ts'
import { sharedMarks, TaskStore } from './task-store.ts'

it('the oldest ended tasks of an owner make room for later results', async () => {
  const state = await openLocalState({ file: join(await temporaryDirectory(), 'state.db'), clock: new ManualClock() })
  onTestFinished(state.close)
  const store = new TaskStore(state.records, sharedMarks(state.records), 1_000)
  const working: Omit<Task, 'id'> = { createdAt: 0, updatedAt: 0, status: 'working', tool: 'T.Do', run: 'run', attempts: 1 }
  const end = async (owner: string, id: string, at: number) => {
    const task: Task = { ...working, id, updatedAt: at, status: 'completed', result: { text: 'x'.repeat(300) } }
    await store.set(owner, task)
    // Its caller learns of the task.
    await store.set(owner, task)
  }
  await store.add('anna', { ...working, id: 'works' })
  await end('anna', 'first', 1)
  await end('ben', 'other', 2)
  await end('anna', 'second', 3)
  await end('anna', 'third', 4)
  expect((await store.list('anna')).map(({ id }) => id)).toEqual(['second', 'third', 'works'])
  expect((await store.list('ben')).map(({ id }) => id)).toEqual(['other'])
})
