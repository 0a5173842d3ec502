import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { locked } from './lock.ts'
import { temporaryDirectory } from './test/temporary-directory.ts'

it('lets one in at a time, in this process too, and everybody in the end', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  let inside = 0
  const seen: number[] = []
  const work = async () => {
    inside += 1
    seen.push(inside)
    await new Promise(setImmediate)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => locked(file, work)))
  expect(seen).toEqual(Array.from({ length: 8 }, () => 1))
})

it('lets go when the work fails', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  await expect(locked(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await locked(file, () => Promise.resolve('in'))).toBe('in')
})

it('does not stop the process that waits', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  const first = Promise.withResolvers<undefined>()
  const holding = locked(file, () => first.promise)
  const waiting = locked(file, () => Promise.resolve('in'))
  let turns = 0
  while (turns < 50) {
    await new Promise(setImmediate)
    turns += 1
  }
  first.resolve(undefined)
  await holding
  expect(await waiting).toBe('in')
})

it('is free again when its holder is killed', async () => {
  const file = path.join(await temporaryDirectory(), 'a.lock')
  // A promise that nobody can settle any more is collected as garbage, and the lock with it; so the timer keeps it.
  const holder = `
    import { locked } from ${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))}
    const forever = Promise.withResolvers()
    setInterval(() => forever, 1000)
    await locked(process.argv[1], () => { process.stdout.write('holding\\n'); return forever.promise })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', holder, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  expect(value).toBe('holding')
  let entered = false
  const waiting = locked(file, () => {
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
