import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { withFileLock } from './shared-file.ts'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'

it('admits one caller at a time, also within one process, and all in the end', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  let inside = 0
  const seen: number[] = []
  const work = async () => {
    inside += 1
    seen.push(inside)
    await new Promise(setImmediate)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, work)))
  expect(seen).toEqual(Array.from({ length: 8 }, () => 1))
})

it('is released when the work fails', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withFileLock(file, () => Promise.resolve('in'))).toBe('in')
})

it('does not block the process while it waits', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  const first = Promise.withResolvers<undefined>()
  const holding = withFileLock(file, () => first.promise)
  const waiting = withFileLock(file, () => Promise.resolve('in'))
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  first.resolve(undefined)
  await holding
  expect(await waiting).toBe('in')
})

it('is released when its holder is killed', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  // Without the timer, the promise would be garbage-collected, and the lock with it.
  const holder = `
    import { withFileLock } from ${JSON.stringify(path.join(import.meta.dirname, 'shared-file.ts'))}
    const forever = Promise.withResolvers()
    setInterval(() => forever, 1000)
    await withFileLock(process.argv[1], () => { process.stdout.write('holding\\n'); return forever.promise })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', holder, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  expect(value).toBe('holding')
  let entered = false
  const waiting = withFileLock(file, () => {
    entered = true
    return Promise.resolve()
  })
  await new Promise(setImmediate)
  expect(entered).toBe(false)
  child.kill('SIGKILL')
  await ended
  await waiting
  expect(entered).toBe(true)
})
