import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { joinWords } from '@mcp-toolkits/core/errors'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import type { Check } from '../../mcp/extension.ts'

/** Maximum size, in bytes, of a file to check: one of this size takes ten seconds. */
const maxBytes = 512 * 1024 * 1024

/** Checks that a server's databases in the data directory are intact: a damaged database may seem to work, but find only some rows. */
export async function checkDatabases({ name }: Pick<ServerDefinition<never>, 'name'>, { dataDirectory }: Settings): Promise<Check[]> {
  const directory = path.join(dataDirectory, name)
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : []
  const names = entries.filter((each) => each.isFile() && each.name.endsWith('.db')).map((each) => each.name)
  if (names.length === 0) return []
  const { findDamage } = await import('@mcp-toolkits/sqlite')
  const isLarge = (file: string) => statSync(path.join(directory, file)).size > maxBytes
  const large = names.filter(isLarge)
  const damaged = names.filter((file) => !isLarge(file)).flatMap((file) => findDamage(path.join(directory, file)) ?? [])
  const unchecked = large.length === 0 ? [] : [`not checked, because checking them takes too long: ${joinWords(large)}`]
  if (damaged.length > 0) {
    const fix =
      'Stop the servers that use the database, copy it, and run `sqlite3 FILE reindex` with its path. If that does not help, restore a backup.'
    return [{ name: 'Databases', state: 'problem', text: [...damaged, ...unchecked].join('\n'), fix }]
  }
  return [{ name: 'Databases', state: 'ok', text: unchecked[0] ?? 'no corruption found' }]
}
