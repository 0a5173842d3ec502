import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Inserts texts into a new database with the settings of our stores, `perTransaction` rows in each transaction, and returns how long that
 * takes in milliseconds. Every commit waits for the disk.
 */
export function timeBareInserts(directory: string, texts: Iterable<string>, perTransaction = 1): number {
  using database = new DatabaseSync(path.join(directory, `bare ${process.hrtime.bigint()}.db`))
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; create table bare (text text)')
  const insert = database.prepare('insert into bare values (:text)')
  const started = performance.now()
  let open = 0
  for (const text of texts) {
    if (open === 0) database.exec('begin immediate')
    insert.run({ text })
    open = (open + 1) % perTransaction
    if (open === 0) database.exec('commit')
  }
  if (open > 0) database.exec('commit')
  return performance.now() - started
}
