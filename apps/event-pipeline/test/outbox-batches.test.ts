import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openOutboxStore } from '../src/outbox/open-outbox-store.ts'
import type { CallName } from '../src/pipelines/calls.ts'
import { submit, type SubmitOptions } from './outbox-store/submit.ts'

/** A batch of three parts. */
const batch = {
  batch: Array.from({ length: 1_500 }, (_, index) => ({
    type: 'track',
    event: 'E',
    userId: `u${index}`,
    properties: { t: 'x'.repeat(700) },
  })),
}

/** Two workers that share an outbox, with a clock that makes every step of a write take a whole turn of the event loop. */
async function openOutbox() {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const manual = new ManualClock()
  let steps = 0
  const clock = { now: manual.now, sleep: manual.sleep, timer: manual.timer, monotonic: () => manual.monotonic() + (steps += 10) }
  const options = { file: path.join(directory, 'outbox.db'), clock, onSetAside: () => undefined }
  const [store, other] = [await openOutboxStore(options), await openOutboxStore(options)]
  onTestFinished(async () => {
    await store.close()
    await other.close()
  })
  const enqueue = (name: CallName, body: object, options: SubmitOptions = {}) => submit(store, body, { name, clock, ...options })
  return { store, other, enqueue }
}

/** Calls `look` once in every turn of the event loop until `work` is done. */
async function observe<Result>(work: Promise<Result>, look: () => unknown): Promise<Result> {
  const state = { isDone: false }
  const done = work.finally(() => {
    state.isDone = true
  })
  while (!state.isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    look()
  }
  return done
}

test('no reader sees a large batch before all of its parts are stored', async () => {
  const { store, other, enqueue } = await openOutbox()
  const reads: ReturnType<typeof store.undelivered>[] = []
  const { entries, claimed } = await observe(enqueue('batch', batch), () => reads.push(store.undelivered(), other.undelivered()))
  expect(entries.length).toBe(3)
  expect(claimed?.id).toBe(entries[0]?.id)
  const counts = new Set((await Promise.all(reads)).map((read) => read.length))
  expect([...counts].sort()).toEqual([0, 3])
  expect(reads.length).toBeGreaterThan(10)
})

test('an event submitted while a large batch is being stored comes after all of its parts', async () => {
  const { store, enqueue } = await openOutbox()
  const events: Promise<unknown>[] = []
  const { entries } = await observe(enqueue('batch', batch), () => {
    if (events.length < 5) events.push(enqueue('track', { event: 'E', userId: `other${events.length}` }))
  })
  await Promise.all(events)
  const stored = (await store.undelivered()).filter(({ call }) => call === 'batch').map(({ id }) => id)
  expect(stored).toEqual(entries.map(({ id }) => id))
  const [first = 0] = stored
  expect(stored).toEqual([first, first + 1, first + 2])
  expect(await store.undelivered()).toHaveLength(8)
})

test('a call cancelled while its batch is being stored leaves nothing behind, and can be repeated', async () => {
  const { other, enqueue } = await openOutbox()
  const caller = new AbortController()
  let isStored = false
  const onStored = () => {
    isStored = true
  }
  // The first rows are written two turns after the plan.
  const onPlan = () =>
    setImmediate(() =>
      setImmediate(() => {
        caller.abort(new Error('gave up'))
      }),
    )
  await expect(enqueue('batch', batch, { signal: caller.signal, onStored, onPlan })).rejects.toThrow('gave up')
  expect(isStored).toBe(false)
  expect(await other.undelivered()).toEqual([])
  const { entries, messageIds, notices } = await enqueue('batch', batch)
  expect(entries.map(({ messageIds: ids }) => ids).flat()).toEqual(messageIds)
  expect(notices).toEqual(['The batch is over 500 KB and is sent in 3 requests, in order.'])
})

test('a large batch whose plan fails leaves nothing behind', async () => {
  const { other, enqueue } = await openOutbox()
  const named = (event: string) => ({
    batch: Array.from({ length: 600 }, (_, index) => ({ type: 'track', event, userId: 'u', messageId: `m${index}` })),
  })
  await enqueue('batch', named('E'))
  await expect(enqueue('batch', named('F'))).rejects.toThrow('were already used for a different body')
  expect((await other.undelivered()).flatMap(({ messageIds }) => messageIds)).toHaveLength(600)
  const repeated = await enqueue('batch', named('E'))
  expect(repeated.entries).toHaveLength(1)
  expect(repeated.messageIds).toHaveLength(600)
})

test('each part of a batch keeps the fields added to its own calls, and a repeat reports all of them', async () => {
  const { store, enqueue } = await openOutbox()
  const first = await enqueue('batch', batch)
  for (const entry of await store.undelivered()) expect(entry.added.map(({ messageId }) => messageId)).toEqual(entry.messageIds)
  const repeated = await enqueue('batch', batch)
  expect(repeated.added).toEqual(first.added)
  expect(repeated.messageIds).toEqual(first.messageIds)
  expect(repeated.entries.map(({ id }) => id)).toEqual(first.entries.map(({ id }) => id))
})
