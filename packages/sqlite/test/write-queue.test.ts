import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { WriteQueue } from '../src/write-queue.ts'

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve)
  })

/** A queue for an in-memory database, and the number of its commits. */
function openQueue() {
  const database = new DatabaseSync(':memory:')
  database.exec('create table notes (text text)')
  const insert = database.prepare('insert into notes values (?)')
  let commits = 0
  const checkFile = () => {
    commits += 1
  }
  const queue = new WriteQueue({ database, file: ':memory:', clock: new ManualClock(), synchronous: 'full', checkFile })
  return { write: (text: string) => queue.write(() => insert.run(text).changes), commits: () => commits }
}

test('writes of the following turns share a transaction, as long as each turn brings one', async () => {
  const { write, commits } = openQueue()
  const writes: Promise<unknown>[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    const next = nextTurn()
    writes.push(write(`${turn}`))
    await next
  }
  expect(await Promise.all(writes)).toEqual([1, 1, 1, 1, 1])
  expect(commits()).toBe(1)
})

test('a transaction does not wait indefinitely when every turn brings a write', async () => {
  const { write, commits } = openQueue()
  const writes: Promise<unknown>[] = []
  for (let turn = 0; commits() === 0 && turn < 100; turn += 1) {
    const next = nextTurn()
    writes.push(write(`${turn}`))
    await next
  }
  expect(writes.length).toBeLessThan(20)
  await Promise.all(writes)
})

test('a write alone is committed after two turns', async () => {
  const { write, commits } = openQueue()
  const alone = write('alone')
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  expect(commits()).toBe(1)
  await alone
})
