import { readdirSync } from 'node:fs'

/** True if a directory has marks of unfinished tasks. Every start asks, so it is cheap. */
export function hasMarks(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0
  } catch {
    return false
  }
}
