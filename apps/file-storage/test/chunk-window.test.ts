import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ChunkWindow } from '../src/upload/upload-session.ts'

const mebibyte = 1024 * 1024

/** A source of so many pieces of a mebibyte, each of which holds its number; then it ends or fails. */
function sourceOf(pieces: number, failure?: Error) {
  let reads = 0
  return {
    reads: () => reads,
    read() {
      if (reads === pieces && failure) return Promise.reject(failure)
      return Promise.resolve(reads === pieces ? undefined : new Uint8Array(mebibyte).fill((reads += 1)))
    },
  }
}

const forever = new Promise(() => undefined)

/** A window that is full, with what the source gives while a request hangs. */
async function readingAhead(source: ReturnType<typeof sourceOf>, sending: Promise<unknown> = forever) {
  const window = new ChunkWindow()
  await window.fill(source)
  window.readAhead(source, sending)
  await setImmediate()
  return window
}

test('while a window is sent, as much again is read and no more', async () => {
  const source = sourceOf(40)
  const window = await readingAhead(source)
  expect([window.end, source.reads(), window.isLast]).toEqual([8 * mebibyte, 16, false])
  window.moveTo(8 * mebibyte)
  await window.fill(source)
  expect([window.start, window.end, source.reads()]).toEqual([8 * mebibyte, 16 * mebibyte, 17])
  expect([window.first()[0], window.first().at(-1)]).toEqual([9, 16])
})

test('the end of the content is known when what was read ahead of it has been taken', async () => {
  const source = sourceOf(10)
  const window = await readingAhead(source)
  expect(window.isLast).toBe(false)
  window.moveTo(8 * mebibyte)
  await window.fill(source)
  expect([window.end, window.isLast]).toEqual([10 * mebibyte, true])
})

test('what ends the reading is thrown after the bytes before it have been taken', async () => {
  const source = sourceOf(10, new Error('The source broke.'))
  const window = await readingAhead(source)
  window.moveTo(8 * mebibyte)
  await expect(window.fill(source)).rejects.toThrow('The source broke.')
  expect(window.end).toBe(10 * mebibyte)
})

test('reading ahead ends with the request', async () => {
  const source = sourceOf(40)
  await readingAhead(source, Promise.reject(new Error('The request failed.')))
  expect(source.reads()).toBeLessThan(16)
})
