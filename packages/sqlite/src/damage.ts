import { DatabaseSync } from 'node:sqlite'
import { isLocked, toStoreError } from './errors.ts'

/**
 * The first thing that SQLite finds wrong in a database; undefined where it finds nothing, or another process keeps readers out. It holds
 * the rows against their indexes, and so reads all of the file: about 60 MB a second. Nothing else tells that an index has lost rows,
 * which are never found then.
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
