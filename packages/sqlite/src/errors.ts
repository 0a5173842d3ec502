/** The reason a database cannot be used or changed. */
export type StoreProblem =
  | 'locked'
  | 'newer'
  | 'corrupt'
  | 'set_aside'
  | 'full'
  | 'read_only'
  | 'link'
  | 'gone'
  /** PostgreSQL lacks some of this server's tables. */
  | 'schema_missing'
  | 'unusable'
  /** PostgreSQL does not answer. A pending change may or may not have taken effect. */
  | 'unreachable'
  /** PostgreSQL denies this server access. */
  | 'denied'
  /** This server's keys do not decrypt the stored data. */
  | 'sealed'

/**
 * A database cannot be used or changed, for a reason outside the program; unless the problem is `unreachable`, nothing was written.
 * `message` is a complete sentence for people. The members are plain data, because packages that show errors to callers do not know this
 * class.
 */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
  readonly code = 'ERR_STORE'
  readonly problem: StoreProblem
  /** Path or address of the database, or path of the offending file. */
  readonly file: string

  constructor(problem: StoreProblem, file: string, message: string) {
    super(message)
    this.problem = problem
    this.file = file
  }
}

/** The result of `open`; undefined if no key decrypts the data. */
export function openOrUndefined<Result>(open: () => Result): Result | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof StoreError && error.problem === 'sealed') return undefined
    throw error
  }
}

/** The database stayed locked by another process. The same call may succeed later. */
export class StoreLocked extends StoreError {
  override readonly name = 'StoreLocked'

  constructor(file: string) {
    super('locked', file, `Another process has kept ${file} locked for ${lockTimeoutMs / 1000} seconds.`)
  }
}

/** Time, in milliseconds, that work waits for another process's lock. */
export const lockTimeoutMs = 5_000

/** Primary result codes: https://www.sqlite.org/rescode.html. */
const sqlite = { perm: 3, busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** True if another connection holds a lock that the statement needs. */
export const isLocked = (error: unknown): boolean => resultCode(error) === sqlite.busy

/** The `StoreError` for an error from SQLite or the file system; returns any other error unchanged. */
export function toStoreError(error: unknown, file: string): unknown {
  const name = systemCode(error)
  switch (resultCode(error) ?? name) {
    case undefined:
      return error
    case sqlite.busy:
      return new StoreLocked(file)
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return new StoreError('corrupt', file, `${file} is damaged or is not a database.`)
    case sqlite.full:
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError('full', file, `There is no space left on the disk of ${file}.`)
    case sqlite.readOnly:
    case 'EROFS':
      return new StoreError('read_only', file, `${file} cannot be changed: the file, its directory or its disk is read-only.`)
    case sqlite.perm:
    case sqlite.cannotOpen:
      return new StoreError('unusable', file, `${file} cannot be opened.`)
    case sqlite.ioError:
      return new StoreError('unusable', file, `The disk failed to read or write ${file}.`)
    default:
      return name === undefined ? error : new StoreError('unusable', file, `${file} cannot be opened (${name}).`)
  }
}

/** The primary code, which is an extended code's low byte. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** A file system error's code, such as EACCES. */
function systemCode(error: unknown): string | undefined {
  const isSystem = error instanceof Error && 'syscall' in error && 'code' in error
  return isSystem && typeof error.code === 'string' ? error.code : undefined
}
