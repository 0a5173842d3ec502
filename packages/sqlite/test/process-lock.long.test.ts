import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openProcessLock } from '../src/process-lock.ts'
import { startChild } from './child.ts'
import { temporaryDirectory } from './temporary.ts'

const noId = '00000000-0000-4000-8000-000000000000'

/** A lock that is closed after the test. */
function openLock(directory: string) {
  const lock = openProcessLock(directory)
  onTestFinished(lock.close)
  return lock
}

/** A process that holds a lock in `directory` and follows commands. */
async function startHolder(directory: string) {
  const child = startChild(join(import.meta.dirname, 'lock-holder.ts'), [directory])
  return { ...child, id: String(await child.ask('id')) }
}

describe('process lock', () => {
  it('is alive until it is closed, even next to other locks of the same process', () => {
    const directory = temporaryDirectory()
    const [first, second] = [openLock(directory), openLock(directory)]
    expect([first.isAlive(first.id), first.isAlive(second.id), second.isAlive(first.id)]).toEqual([true, true, true])
    second.close()
    expect([first.isAlive(first.id), first.isAlive(second.id)]).toEqual([true, false])
    expect(readdirSync(directory)).toEqual([`${first.id}.lock`])
  })

  it('is free in a copy of its directory', () => {
    const [directory, copy] = [temporaryDirectory(), temporaryDirectory()]
    const [own, other] = [openLock(directory), openLock(copy)]
    writeFileSync(join(copy, `${own.id}.lock`), '')
    expect([own.isAlive(own.id), other.isAlive(own.id)]).toEqual([true, false])
    expect(readdirSync(copy)).toEqual([`${other.id}.lock`])
  })

  it('is alive as long as its process lives, also while that is stopped, and dies with it', async () => {
    const directory = temporaryDirectory()
    const own = openLock(directory)
    const holder = await startHolder(directory)
    expect([own.isAlive(holder.id), await holder.ask(`check ${own.id} ${noId}`)]).toEqual([true, [true, false]])
    holder.signal('SIGSTOP')
    expect(own.isAlive(holder.id)).toBe(true)
    await holder.end('SIGKILL')
    expect(own.isAlive(holder.id)).toBe(false)
    expect(own.isAlive(holder.id)).toBe(false)
    expect(readdirSync(directory)).toEqual([`${own.id}.lock`])
  })

  it('dies with a process that exits without closing it', async () => {
    const directory = temporaryDirectory()
    const own = openLock(directory)
    const holder = await startHolder(directory)
    const exit = holder.ask('exit').catch(() => undefined)
    await holder.ended
    await exit
    expect(own.isAlive(holder.id)).toBe(false)
  })

  it('survives two copies of this module in its process that open, check and close locks', async () => {
    const directory = temporaryDirectory()
    const own = openLock(directory)
    const holder = await startHolder(directory)
    expect(await holder.ask('churn 20')).toBe(0)
    expect(own.isAlive(holder.id)).toBe(true)
  })

  it('is never found alive after its death, however many processes check at the same time', async () => {
    const directory = temporaryDirectory()
    const watchers = await Promise.all([1, 2, 3].map(() => startHolder(directory)))
    const holder = await startHolder(directory)
    const ids = JSON.stringify(await holder.ask('open 200'))
      .replaceAll(/[^\w,-]/g, '')
      .split(',')
    expect(new Set(ids).size).toBe(200)
    ids.push(holder.id)
    const command = `check ${ids.join(' ')}`
    expect(await watchers[0]?.ask(command)).toEqual(ids.map(() => true))
    await holder.end('SIGKILL')
    const seen = await Promise.all(watchers.map(({ ask }) => ask(command)))
    expect(seen).toEqual(watchers.map(() => ids.map(() => false)))
    expect(readdirSync(directory)).toHaveLength(watchers.length)
  })

  it('is never lost to processes that look for dead locks while it is being taken', async () => {
    const directory = temporaryDirectory()
    const holders = await Promise.all([1, 2, 3, 4].map(() => startHolder(directory)))
    expect(await Promise.all(holders.map(({ ask }) => ask('churn 40')))).toEqual([0, 0, 0, 0])
    const own = openLock(directory)
    expect(holders.map(({ id }) => own.isAlive(id))).toEqual([true, true, true, true])
  })

  it('deletes the files of dead processes when the next one opens', async () => {
    const directory = temporaryDirectory()
    const holder = await startHolder(directory)
    await holder.ask('open 3')
    await holder.end('SIGKILL')
    writeFileSync(join(directory, 'other'), '')
    expect(readdirSync(directory)).toHaveLength(5)
    const own = openLock(directory)
    expect(readdirSync(directory).toSorted()).toEqual([`${own.id}.lock`, 'other'].toSorted())
  })

  it('makes a file that only its owner can read, and follows no link', () => {
    const directory = join(temporaryDirectory(), 'a', 'locks')
    const own = openLock(directory)
    expect(statSync(join(directory, `${own.id}.lock`)).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    symlinkSync(join(directory, `${own.id}.lock`), join(directory, `${noId}.lock`))
    expect(() => own.isAlive(noId)).toThrow('is a symbolic link')
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(directory, link)
    expect(() => openProcessLock(link)).toThrow('is a symbolic link')
  })

  it('says why a directory cannot be used, and considers only its own ids alive', () => {
    const file = join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    expect(() => openProcessLock(file)).toThrow(`${file} cannot be opened (ENOTDIR).`)
    const own = openLock(temporaryDirectory())
    expect(['', '..', `../${own.id}`, own.id.toUpperCase()].map((id) => own.isAlive(id))).toEqual([false, false, false, false])
  })
})
