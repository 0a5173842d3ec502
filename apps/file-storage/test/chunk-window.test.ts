import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ChunkWindow } from '../src/upload/drive-session.ts'

const mebibyte = 1024 * 1024

/** A source of `pieces` mebibytes, each filled with its number; then it ends or fails. */
function sourceOf(pieces: number, failure?: Error) {
  let [reads, attempts] = [0, 0]
  return {
    reads: () => reads,
    attempts: () => attempts,
    read() {
      attempts += 1
      if (reads === pieces && failure) return Promise.reject(failure)
      return Promise.resolve(reads === pieces ? undefined : new Uint8Array(mebibyte).fill((reads += 1)))
    },
  }
}

const forever = new Promise(() => undefined)

/** A full window, along with the pieces that the source returns while a request hangs. */
async function readingAhead(source: ReturnType<typeof sourceOf>, sending: Promise<unknown> = forever) {
  const window = new ChunkWindow()
  await window.fill(source)
  void window.readAhead(source, sending)
  await setImmediate()
  return window
}

test('while a window is being sent, as much again is read ahead, and no more', async () => {
  const source = sourceOf(40)
  const window = await readingAhead(source)
  expect([window.end, source.reads(), window.isLast]).toEqual([8 * mebibyte, 16, false])
  window.moveTo(8 * mebibyte)
  await window.fill(source)
  expect([window.start, window.end, source.reads()]).toEqual([8 * mebibyte, 16 * mebibyte, 17])
  expect([window.first()[0], window.first().at(-1)]).toEqual([9, 16])
})

test('knows the last window once the read-ahead is used up', async () => {
  const source = sourceOf(10)
  const window = await readingAhead(source)
  expect(window.isLast).toBe(false)
  window.moveTo(8 * mebibyte)
  await window.fill(source)
  expect([window.end, window.isLast]).toEqual([10 * mebibyte, true])
})

test('throws a read error only after the bytes before it, and does not read again', async () => {
  const source = sourceOf(10, new Error('The source broke.'))
  const window = await readingAhead(source)
  window.moveTo(8 * mebibyte)
  const reads = source.attempts()
  await expect(window.fill(source)).rejects.toThrow('The source broke.')
  await window.readAhead(source, forever)
  expect([window.end, source.attempts()]).toEqual([10 * mebibyte, reads])
})

test('a window that is full does not wait for the read that is under way', async () => {
  const pieces = [new Uint8Array(8 * mebibyte), new Uint8Array(mebibyte)]
  const source = { read: () => Promise.resolve(pieces.shift()) }
  const window = new ChunkWindow()
  await window.fill(source)
  void window.readAhead({ read: () => new Promise<undefined>(() => undefined) }, forever)
  await window.fill(source)
  expect(window.end).toBe(8 * mebibyte)
})

test('reading ahead ends with the request', async () => {
  const source = sourceOf(40)
  await readingAhead(source, Promise.reject(new Error('The request failed.')))
  expect(source.reads()).toBeLessThan(16)
})
