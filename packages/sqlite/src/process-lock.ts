import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isLocked, toStoreError } from './errors.ts'
import { makePrivateFile, refuseLink } from './private-file.ts'

/**
 * A lock that shows other processes that this process is alive: the operating system releases it when the process dies, whatever the cause.
 */
export interface ProcessLock {
  /** Never reused by any process. Store it with this process's work. */
  readonly id: string
  /**
   * True if the lock with this id is held by any process using the same directory. A dead id stays dead. Takes a fraction of a
   * millisecond. Throws `StoreError` if the system refuses to check.
   */
  readonly isAlive: (id: string) => boolean
  /** Releases the lock. May be called twice. */
  readonly close: () => void
}

/** This process's locks by file; they need no check. A connection without a reference would be closed, and its lock lost. */
const held = new Map<string, DatabaseSync>()

const suffix = '.lock'
const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Takes a new lock: an empty file in `directory` that SQLite holds an exclusive lock on. Also deletes dead processes' files there. A
 * process may hold several. Throws `StoreError` if the directory cannot be used.
 */
export function openProcessLock(directory: string): ProcessLock {
  const pathOf = (id: string) => resolve(directory, id + suffix)
  const withStoreErrors = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, directory)
    }
  }
  const isAlive = (id: string) => held.has(pathOf(id)) || (idPattern.test(id) && withStoreErrors(() => isLockHeld(pathOf(id))))
  const { id, database } = withStoreErrors(() => {
    refuseLink(directory)
    return takeNewLock(pathOf)
  })
  held.set(pathOf(id), database)
  for (const name of withStoreErrors(() => readdirSync(directory))) isAlive(name.slice(0, -suffix.length))
  return {
    id,
    isAlive,
    close() {
      if (held.delete(pathOf(id))) closeAndDelete(database, pathOf(id))
    },
  }
}

/**
 * True if a lock in `directory` is held. The caller itself need not hold a lock there. Throws `StoreError` if the system refuses to check.
 */
export function isProcessLockHeld(directory: string, id: string): boolean {
  const file = resolve(directory, id + suffix)
  try {
    return held.has(file) || (idPattern.test(id) && isLockHeld(file))
  } catch (error) {
    throw toStoreError(error, directory)
  }
}

function takeNewLock(pathOf: (id: string) => string): { readonly id: string; readonly database: DatabaseSync } {
  for (;;) {
    const id = randomUUID()
    const file = pathOf(id)
    makePrivateFile(file)
    // Until the file is locked, another process may mistake it for a dead process's file and delete it. If we recreated the file, a
    // process with the old one open would delete the new one.
    const database = openExisting(file)
    if (!database) continue
    // An empty database gets its first page when a transaction begins; a journal on disk would be left behind.
    database.exec('pragma journal_mode = memory')
    // A process that makes this mistake keeps us from locking the file until it has deleted it, so a file that we have locked and that
    // still exists is safe.
    if (canRun(database, 'begin exclusive') && existsSync(file)) return { id, database }
    closeAndDelete(database, file)
  }
}

/** True if a process holds the lock on a file. If no process does, deletes the file. */
function isLockHeld(file: string): boolean {
  if (!lstatSync(file, { throwIfNoEntry: false })) return false
  refuseLink(file)
  const database = openExisting(file)
  if (!database) return false
  // A shared lock, so that two processes checking at the same time do not mistake each other for the holder.
  if (canRun(database, 'begin; select 1 from sqlite_schema')) {
    closeAndDelete(database, file)
    return false
  }
  database.close()
  return true
}

/** Opens a file only if it exists: another process may just have deleted it. */
function openExisting(file: string): DatabaseSync | undefined {
  const url = pathToFileURL(file)
  url.searchParams.set('mode', 'rw')
  try {
    return new DatabaseSync(url, { timeout: 0 })
  } catch (error) {
    if (existsSync(file)) throw error
    return undefined
  }
}

/** False if another connection holds a conflicting lock. */
function canRun(database: DatabaseSync, sql: string): boolean {
  try {
    database.exec(sql)
    return true
  } catch (error) {
    if (isLocked(error)) return false
    database.close()
    throw error
  }
}

/** Deletes the file first, while its lock is still held; Windows does not delete files that any process has open. */
function closeAndDelete(database: DatabaseSync, file: string): void {
  if (process.platform !== 'win32') rmSync(file, { force: true })
  database.close()
  if (process.platform === 'win32') deleteUnlessOpen(file)
}

function deleteUnlessOpen(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Another process has the file open, either to lock it, or to check it and then delete it.
  }
}
