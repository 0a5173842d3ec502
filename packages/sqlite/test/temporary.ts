import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'

/** A directory that is deleted after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  return directory
}

const pageBytes = 4_096

/** Overwrites all pages of a database except the first, while others may have the database open. */
export function spoilPages(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
  const descriptor = openSync(file, 'r+')
  const bytes = fstatSync(descriptor).size - pageBytes
  writeSync(descriptor, Buffer.alloc(bytes, 0xff), 0, bytes, pageBytes)
  closeSync(descriptor)
}
