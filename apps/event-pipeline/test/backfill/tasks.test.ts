import { expect, test } from 'vitest'
import { elapse, until } from '../pipeline.ts'
import { delivered, rows, sending } from './file-task.ts'
import { acceptedBy } from './rows.ts'

test('a file that takes longer becomes a task, whose result arrives after its last row', async () => {
  const { task, release, clock, ...server } = await sending()
  const { status, statusMessage } = await task.snapshot()
  expect([status, statusMessage]).toEqual(['working', expect.stringMatching(/^\d+ of 1000 rows accepted$/)])
  release()
  await elapse(
    clock,
    until(async () => (await task.snapshot()).status === 'completed'),
  )
  expect(await task.result()).toMatchObject({ result: { structuredContent: delivered } })
  expect(acceptedBy(server)).toHaveLength(rows)
})
