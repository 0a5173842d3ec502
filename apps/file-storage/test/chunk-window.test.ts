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

test('while a window is sent, as much again is read and no more', async () => {
  const source = sourceOf(40)
  const window = new ChunkWindow()
  await window.fill(source)
  expect([window.end, source.reads()]).toEqual([8 * mebibyte, 9])
  await window.readAhead(source, new Promise(() => undefined))
  expect([window.end, source.reads(), window.isLast]).toEqual([8 * mebibyte, 16, false])
  window.moveTo(8 * mebibyte)
  await window.fill(source)
  expect([window.start, window.end, source.reads()]).toEqual([8 * mebibyte, 16 * mebibyte, 17])
  expect([window.first()[0], window.first().at(-1)]).toEqual([9, 16])
})

test('what reading meets meanwhile is thrown when the bytes before it are taken', async () => {
  const source = sourceOf(10, new Error('The source broke.'))
  const window = new ChunkWindow()
  await window.fill(source)
  await window.readAhead(source, new Promise(() => undefined))
  window.moveTo(8 * mebibyte)
  await expect(window.fill(source)).rejects.toThrow('The source broke.')
  expect(window.end).toBe(10 * mebibyte)
})

test('reading ahead ends with the request', async () => {
  const source = sourceOf(40)
  const window = new ChunkWindow()
  await window.fill(source)
  await window.readAhead(source, Promise.reject(new Error('The request failed.')))
  expect(source.reads()).toBeLessThan(16)
})
