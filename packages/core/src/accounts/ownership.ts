import { chmodSync, statSync, type Stats } from 'node:fs'
import { Unauthenticated } from '../errors.ts'

/** Refuses a directory that somebody else can change. */
export function checkDirectory(directory: string): void {
  checkOwner(directory, statSync(directory), (mode) => {
    chmodSync(directory, mode)
  })
}

/** Refuses what somebody else can change, and closes to others what they could read. On Windows the directory inherits from the person's profile who may open it. */
export function checkOwner(name: string, { uid, mode }: Stats, narrow: (mode: number) => void): void {
  const self = process.getuid?.()
  if (self === undefined) return
  if (uid !== self) throw unusable(name, 'belongs to another user of this machine')
  if ((mode & 0o022) !== 0) throw unusable(name, 'can be changed by other users of this machine')
  if ((mode & 0o077) === 0) return
  try {
    narrow(mode & 0o700)
  } catch (error) {
    throw unusable(name, `can be read by other users of this machine, and that cannot be mended (${codeOf(error)})`)
  }
}

/** The code of a system error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}

/** What a person is told of logins that cannot be trusted. */
export function unusable(name: string, problem: string): Unauthenticated {
  return new Unauthenticated(`${name} ${problem}, so no login in it is used. Delete it and sign in again.`)
}
