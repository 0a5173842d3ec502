import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fields } from './login.ts'
import { checkDirectory, codeOf } from './ownership.ts'

/** A directory that its owner alone can look into. Levels that are missing are made one after another: Node's own recursion never ends where a file system refuses to create anything, as in /proc. */
export function makePrivate(directory: string): void {
  const missing: string[] = []
  for (let level = directory; !existsSync(level); level = path.dirname(level)) missing.unshift(level)
  for (const level of missing) {
    try {
      mkdirSync(level, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
  checkDirectory(directory)
}

/** Puts new content in place of the file at once. A process that dies before that leaves the old content, and its copy to the next writer. */
export async function replace(file: string, content: Fields): Promise<void> {
  const directory = path.dirname(file)
  for (const name of readdirSync(directory)) if (name.endsWith('.new')) rmSync(path.join(directory, name), { force: true })
  const copy = copied(file, content)
  try {
    await rename(copy, file)
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
  if (process.platform !== 'win32') sync(directory)
}

/** Does the same up to where the file would be replaced, to see whether it could be. */
export function rehearse(file: string, content: Fields): void {
  rmSync(copied(file, content))
}

/** The path of a new file beside it, which holds all of the content or is not there. */
function copied(file: string, content: Fields): string {
  const copy = path.join(path.dirname(file), `${randomBytes(6).toString('hex')}.new`)
  const handle = openSync(copy, 'wx', 0o600)
  try {
    // One write can store a part and say nothing, as on a disk that is full; this one goes on until it is told.
    writeFileSync(handle, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(handle)
    return copy
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}

/** On Windows a scanner that looks at the file can be in the way for a moment. */
async function rename(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (attempt === 6 || !['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error))) throw error
      await delay(10 * 2 ** attempt)
    }
  }
}

/** Without this the new name could be gone after a power cut. */
function sync(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
