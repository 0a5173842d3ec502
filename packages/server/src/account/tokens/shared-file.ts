import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Clock } from '@mcp-toolkits/core/base'
import { systemErrorCode, Unavailable } from '@mcp-toolkits/core/errors'
import { Attempts } from '@mcp-toolkits/core/upstream'
import path from 'node:path'

/** Limits the wait for a lock to less than the 30 seconds after which clients give up on a call. */
const waitPolicy = { maxAttempts: Infinity, budgetMs: 15_000, baseDelayMs: 40, maxDelayMs: 40 }

/** https://www.sqlite.org/rescode.html#busy */
const sqliteBusy = 5

/**
 * Runs `work` while nothing else holds the lock on `file`, in this process or any other. SQLite holds the lock, so the operating system
 * releases it even if the process crashes. Throws `Unavailable` if the lock is held for too long, and the system's error if the file is
 * unusable.
 */
export async function withFileLock<Result>(file: string, work: () => Promise<Result>, clock?: Clock): Promise<Result> {
  const { DatabaseSync } = await import('node:sqlite')
  // Opening an existing file this way would also close it, which would end this process's locks on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    const budget = new Attempts(waitPolicy, { clock })
    while (!tryLock(database)) {
      if (!(await budget.waitForNext())) throw new Unavailable('Another process is busy with this login. Try again in a moment.')
    }
    return await work()
  } finally {
    // Ends the transaction, which wrote nothing.
    database.close()
  }
}

function tryLock(database: { readonly exec: (sql: string) => void }): boolean {
  try {
    database.exec('begin immediate')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false
    throw error
  }
}

/**
 * Creates a directory that only its owner can open. Missing levels are created one by one: Node's own recursion never ends if the file
 * system refuses to create anything, as /proc does.
 */
export function makePrivateDirectory(directory: string): void {
  const missing: string[] = []
  for (let level = directory; !existsSync(level); level = path.dirname(level)) missing.unshift(level)
  for (const level of missing) {
    try {
      mkdirSync(level, { mode: 0o700 })
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Replaces a file in one step. A process that dies first leaves the old content, and a temporary copy that the next writer removes. */
export async function replaceFile(file: string, text: string, clock?: Clock): Promise<void> {
  const directory = path.dirname(file)
  for (const name of readdirSync(directory)) if (name.endsWith('.new')) rmSync(path.join(directory, name), { force: true })
  const copy = writeCopy(file, text)
  try {
    await rename(copy, file, clock)
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
  if (process.platform !== 'win32') syncDirectory(directory)
}

/** Throws, like `replaceFile`, if the text cannot be written next to the file. */
export function checkReplaceable(file: string, text: string): void {
  rmSync(writeCopy(file, text))
}

/** Writes the text to a new file next to `file` and returns its path. On failure, no file is left. */
function writeCopy(file: string, text: string): string {
  const copy = path.join(path.dirname(file), `${randomBytes(6).toString('hex')}.new`)
  const handle = openSync(copy, 'wx', 0o600)
  try {
    // Not `writeSync`, which may write only part of the text if the disk is full.
    writeFileSync(handle, text)
    fsyncSync(handle)
    return copy
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
}

/** Renames with retries, because on Windows a virus scanner that has the file open can briefly block this. */
async function rename(from: string, to: string, clock: Clock | undefined): Promise<void> {
  const budget = new Attempts({ maxAttempts: 6, budgetMs: 2_000, baseDelayMs: 40, maxDelayMs: 640 }, { clock })
  for (;;) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(systemErrorCode(error) ?? '') || !(await budget.waitForNext())) throw error
    }
  }
}

/** Syncs the directory: otherwise, a power failure could undo the rename. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
