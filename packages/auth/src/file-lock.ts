import { closeSync, existsSync, openSync } from 'node:fs'
import { Unavailable } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { Attempts } from '@mcp-toolkits/core/retry'

/** How long to wait for a lock: less than the 30 seconds after which clients give up on a call. */
const waitPolicy = { maxAttempts: Infinity, budgetMs: 15_000, baseDelayMs: 40, maxDelayMs: 40 }

/** https://www.sqlite.org/rescode.html#busy */
const sqliteBusy = 5

/**
 * Runs `work` while nothing else holds the lock on `file`, in this process or another. SQLite holds it, so the operating system releases
 * it when the process dies, however that happens. Throws `Unavailable` when the lock is held for too long, and the system's error when the
 * file cannot be used.
 */
export async function withFileLock<Result>(file: string, work: () => Promise<Result>, clock?: Clock): Promise<Result> {
  const { DatabaseSync } = await import('node:sqlite')
  // Opening a file that exists would close it too, and so end the locks that this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    const budget = new Attempts(waitPolicy, { clock })
    while (!tryLock(database)) {
      if (!(await budget.waitForNext())) throw new Unavailable('Another process is busy with this login. Try again in a moment.')
    }
    return await work()
  } finally {
    // Ends the transaction, in which nothing was written.
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
