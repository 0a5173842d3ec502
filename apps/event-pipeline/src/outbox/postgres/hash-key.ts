import { randomBytes } from 'node:crypto'
import { blob } from '@mcp-toolkits/store'
import type { Database } from '@mcp-toolkits/store/postgres'
import type { Sealer } from '@mcp-toolkits/store/sealer'

/** To what the sealed key is bound. */
export const hashKeyContext = 'outbox hash key'

/** The key under which all replicas hash API keys; the first of them creates it. */
export async function readHashKey(database: Pick<Database, 'run' | 'reading'>, sealer: Sealer): Promise<string> {
  const value = sealer.seal(randomBytes(32).toString('hex'), hashKeyContext)
  await database.run(`insert into schema.secrets values ('hash', :value) on conflict do nothing`, { value })
  const [row] = await database.reading.rows({ value: blob }, `select value from schema.secrets where name = 'hash'`)
  const stored = row?.value ?? value
  const resealed = sealer.reseal(stored, hashKeyContext)
  if (resealed) {
    const sql = `update schema.secrets set value = :resealed where name = 'hash' and value = :stored`
    await database.run(sql, { resealed, stored })
  }
  return sealer.open(stored, hashKeyContext)
}
