import { closeSync, existsSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'

/** How long others may hold a lock before waiting for it ends, in milliseconds; within the patience of a call. */
const patienceMs = 15_000

/** Longest pause between two looks at a lock, in milliseconds. */
const pauseMs = 40

/** https://www.sqlite.org/rescode.html#busy */
const busy = 5

/**
 * Runs `work` while no other process, and nobody else in this one, holds the lock on `file`. The operating system lets go of it when
 * its holder dies, however that happens. Waits without blocking; throws `Unavailable` when others hold the lock for too long, and the
 * system's error when the file cannot be used.
 */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite')
  makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    const deadline = Date.now() + patienceMs
    while (!begin(database)) {
      if (Date.now() > deadline) throw new Unavailable('Another process is busy with this login. Try again in a moment.')
      await delay(5 + Math.random() * pauseMs)
    }
    return await work()
  } finally {
    // Ends the transaction, in which nothing was ever written.
    database.close()
  }
}

/** A new file that its owner alone can open. One that exists is left alone: closing it would end the locks that this process has on it. */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

function begin(database: { readonly exec: (sql: string) => void }): boolean {
  try {
    database.exec('begin immediate')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false
    throw error
  }
}
