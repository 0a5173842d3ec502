import { count, joinWords } from '@mcp-toolkits/core/errors'
import type { HostingFindings } from '@mcp-toolkits/server'
import type { CommandLine } from '@mcp-toolkits/server/cli'
import type { TeamServer } from '../team-server.ts'
import { type HostingInspection, inspectHosting } from './with-store.ts'

/** Describes the database of `--store` and its state. Throws like `withStore`. */
export async function inspectStore<Context>(definition: TeamServer<Context>, line: CommandLine): Promise<HostingFindings> {
  const found = await inspectHosting(definition, line)
  return {
    settings: found.settings,
    lines: [
      `store: ${found.location}, schema ${found.schema}`,
      `tables: ${tablesText(found)}`,
      `replicas alive: ${found.replicas}`,
      `vault keys: ${joinWords(found.keyIds.map((id) => `${id} (${count(found.sealedRows[id] ?? 0, 'row')})`))}`,
    ],
    warnings: [...keyWarnings(found), ...((await definition.localWork?.(line.settings)) ?? [])],
  }
}

function tablesText({ version, ownVersion }: HostingInspection): string {
  if (version === 0) return 'none; the first server creates them'
  if (version < ownVersion) return `version ${version}; the first server of this release updates them to version ${ownVersion}`
  return version === ownVersion ? `version ${version}` : `version ${version}, of a later release than this one (${ownVersion})`
}

/** Warns about rows that no key decrypts, which calls cannot use. */
function keyWarnings({ sealedRows, keyIds }: HostingInspection): string[] {
  const unknown = Object.entries(sealedRows).filter(([id]) => !keyIds.includes(id))
  return unknown.map(([id, rows]) => `${count(rows, 'row')} cannot be decrypted: MCP_TOOLKITS_VAULT_KEYS lacks the key ${id}.`)
}
