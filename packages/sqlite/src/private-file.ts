import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreError } from './errors.ts'

/** Suffixes of the files that SQLite keeps next to a database: https://www.sqlite.org/tempfiles.html. */
const suffixes = ['', '-wal', '-shm', '-journal']

/**
 * Makes a database file that only its owner can read, or corrects the mode of an existing one; SQLite gives the files next to it the
 * same mode. Throws `StoreError` if one of these files is a symbolic link, or belongs to a damaged database that cannot be moved.
 */
export function makePrivateFile(file: string): void {
  makeDirectory(dirname(file))
  moveRest(file)
  for (const suffix of suffixes) refuseLink(file + suffix)
  const stats = statsOf(file)
  // An existing file is never opened here: closing it would release the locks that SQLite holds on it in this process.
  if (stats === undefined) closeSync(openSync(file, 'a', 0o600))
  else if ((stats.mode & 0o777) !== 0o600 && process.platform !== 'win32') chmodSync(file, 0o600)
}

/** Record written before a damaged database is moved, so that no file is left behind if the process dies halfway. */
interface Move {
  /** The new name of the database, in the same directory. */
  readonly target: string
  /** The suffixes of the files to move. */
  readonly suffixes: readonly string[]
}

const moveFile = (file: string) => `${file}.set-aside`

/**
 * Moves a damaged database and its accompanying files aside, and returns the new path, from which data can still be recovered. No process
 * may have the database open. If the process dies halfway, the next process to open the database moves the rest. Returns undefined if the
 * file system refuses, as Windows does while another process has the file open.
 */
export function setAsideFile(file: string, now: number): string | undefined {
  try {
    return moveAside(file, now)
  } catch {
    return undefined
  }
}

function moveAside(file: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  let aside = `${file}.damaged-${time}`
  for (let copy = 2; suffixes.some((suffix) => statsOf(aside + suffix)); copy += 1) aside = `${file}.damaged-${time}-${copy}`
  if (!readMove(file)) {
    const present = suffixes.filter((suffix) => statsOf(file + suffix))
    writeDurably(moveFile(file), JSON.stringify({ target: basename(aside), suffixes: present } satisfies Move))
  }
  const move = readMove(file)
  if (move) finishMove(file, move)
  return move ? join(dirname(file), move.target) : aside
}

function finishMove(file: string, move: Move): void {
  const target = join(dirname(file), move.target)
  // Move the main file last: without it, SQLite would delete the log next to it.
  for (const suffix of suffixes.toReversed()) {
    // Another process may have moved these files and created new ones, so no file is moved twice.
    if (!move.suffixes.includes(suffix) || statsOf(target + suffix) || !statsOf(file + suffix)) continue
    renameIfPresent(file + suffix, target + suffix)
  }
  syncDirectory(dirname(file))
  rmSync(moveFile(file), { force: true })
}

/** Finishes a move that another process began. Throws `StoreError` if that fails, for example because another process has the file open. */
function moveRest(file: string): void {
  const move = readMove(file)
  if (!move) return
  try {
    finishMove(file, move)
  } catch {
    throw new StoreError('corrupt', file, `${file} is damaged, and its files cannot be moved out of the way.`)
  }
}

/** The unfinished move, if any. If its record is incomplete, nothing has been moved yet. */
function readMove(file: string): Move | undefined {
  if (statsOf(moveFile(file))?.isFile() !== true) return undefined
  let json: unknown
  try {
    json = JSON.parse(readFileSync(moveFile(file), 'utf8'))
  } catch {
    return undefined
  }
  if (typeof json !== 'object' || json === null || !('target' in json) || !('suffixes' in json)) return undefined
  const { target, suffixes: moved } = json
  const isOurs = typeof target === 'string' && target.startsWith(`${basename(file)}.damaged-`) && basename(target) === target
  return isOurs && Array.isArray(moved) ? { target, suffixes: suffixes.filter((suffix) => moved.includes(suffix)) } : undefined
}

function renameIfPresent(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (statsOf(from)) throw error
  }
}

function writeDurably(file: string, text: string): void {
  refuseLink(file)
  writeFileSync(file, text, { mode: 0o600, flush: true })
  syncDirectory(dirname(file))
}

/** Makes the latest creations, renames and deletions in a directory durable. Windows neither has nor needs such a call. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A file's identity, which changes if the file is replaced; undefined if there is no file. */
export function fileIdentity(file: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(file, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/**
 * A check that throws `StoreError` once an open database is no longer the file at its path: SQLite accepts writes to a deleted file,
 * which are then lost.
 */
export function openFileCheck(file: string): () => void {
  const opened = fileIdentity(file)
  return () => {
    if (fileIdentity(file) === opened) return
    throw new StoreError('gone', file, `${file} was deleted, moved or replaced while it was open.`)
  }
}

/** Throws `StoreError` for a symbolic link: our writes and mode changes could affect another program's file. */
export function refuseLink(file: string): void {
  if (statsOf(file)?.isSymbolicLink() !== true) return
  throw new StoreError('link', file, `${file} is a symbolic link, and data is opened only at its real path.`)
}

/** Stats of a file itself, not of its link's target; undefined if it does not exist. */
function statsOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false })
}

/** Creates one level at a time: Node's own recursion never ends if the file system refuses to create anything, as /proc does. */
function makeDirectory(directory: string): void {
  if (statsOf(directory)) return
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the directory in the meantime.
    if (!statsOf(directory)) throw error
  }
}
