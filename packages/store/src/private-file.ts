import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, renameSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from './errors.ts'

/** The files that SQLite keeps beside a database: https://www.sqlite.org/tempfiles.html. */
const suffixes = ['', '-wal', '-shm', '-journal']

/**
 * Makes a database file that only its owner can read, or corrects the mode of an existing one; SQLite gives the files beside it the same
 * mode. Throws `StoreError` when one of these files is a symbolic link.
 */
export function makePrivateFile(file: string): void {
  makeDirectory(dirname(file))
  for (const suffix of suffixes) refuseLink(file + suffix)
  const stats = statsOf(file)
  // An existing file is never opened here: closing it would end the locks that SQLite holds on it in this process.
  if (stats === undefined) closeSync(openSync(file, 'a', 0o600))
  else if ((stats.mode & 0o777) !== 0o600 && process.platform !== 'win32') chmodSync(file, 0o600)
}

/**
 * Moves a damaged database and the files beside it out of the way, and returns the new path. No process may have it open. What is left
 * in it can still be recovered there.
 */
export function setAsideFile(file: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  let aside = `${file}.damaged-${time}`
  for (let copy = 2; statsOf(aside); copy += 1) aside = `${file}.damaged-${time}-${copy}`
  // The main file last: as long as it is there, the next process tries again.
  for (const suffix of suffixes.toReversed()) if (statsOf(file + suffix)) renameSync(file + suffix, aside + suffix)
  return aside
}

/** What tells a file from another one that was put in its place; undefined when there is none. */
export function fileIdentity(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.dev}:${stats.ino}`
}

/**
 * A check that throws `StoreError` once an open database is no longer the file at its path: what is written to a deleted file is lost,
 * although SQLite accepts it.
 */
export function openFileCheck(file: string): () => void {
  const opened = fileIdentity(file)
  return () => {
    if (fileIdentity(file) === opened) return
    throw new StoreError('gone', file, `${file} was deleted, moved or replaced while it was open.`)
  }
}

/** Throws `StoreError` for a symbolic link: it would lead our writes and our modes to a file of another program. */
export function refuseLink(file: string): void {
  if (statsOf(file)?.isSymbolicLink() !== true) return
  throw new StoreError('link', file, `${file} is a symbolic link, and data is opened only where it really is.`)
}

/** The stats of a file itself, not of what it links to; undefined when there is none. */
function statsOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false })
}

/** One level after another: Node's own recursion never ends where a file system refuses to create anything, as in /proc. */
function makeDirectory(directory: string): void {
  if (statsOf(directory)) return
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statsOf(directory)) throw error
  }
}
