import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { run, start, temporaryDirectory } from './command.ts'

/** The files under a directory that is yet to appear. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    return []
  }
}

test('a server that is killed leaves its compile cache to the next', async () => {
  const directory = await temporaryDirectory()
  const cache = path.join(directory, 'cache')
  const server = start(['--data-dir', directory], { NODE_COMPILE_CACHE: cache })
  await once(server.stderr, 'data')
  expect(filesIn(cache)).toEqual([])
  // main.js, and the three files that a start loads behind it.
  await expect.poll(() => filesIn(cache).length, { timeout: 30_000 }).toBe(4)
  server.kill('SIGKILL')
})

test('a compile cache that cannot be written is done without', async () => {
  const directory = await temporaryDirectory()
  const file = path.join(directory, 'file')
  writeFileSync(file, '')
  const finished = await run(['tools'], { environment: { NODE_COMPILE_CACHE: path.join(file, 'cache') } })
  expect(finished).toMatchObject({ code: 0, errors: '' })
  expect(finished.output.trim().split('\n')).toHaveLength(7)
})
