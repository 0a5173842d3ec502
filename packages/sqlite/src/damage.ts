import { DatabaseSync } from 'node:sqlite'
import { isLocked, toStoreError } from './errors.ts'

/**
 * The first fault that SQLite finds in a database; undefined if it finds none, or if another process keeps readers out. The check
 * compares rows with their indexes, so it reads the whole file, at about 60 MB a second. Nothing else detects that an index has lost
 * rows, which queries then no longer find.
 */
export function findDamage(file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      const found = database.prepare('pragma integrity_check(1)').get()?.['integrity_check']
      return found === 'ok' ? undefined : `${file} is damaged: ${String(found)}.`
    } finally {
      database.close()
    }
  } catch (error) {
    if (isLocked(error)) return undefined
    const failure = toStoreError(error, file)
    if (failure instanceof Error && failure !== error) return failure.message
    throw error
  }
}
