import { existsSync } from 'node:fs'
import { systemClock } from '@mcp-toolkits/core/base'
import { count, joinWords, Unavailable } from '@mcp-toolkits/core/errors'
import { subjectWarnings, type CommandLine } from '@mcp-toolkits/server/cli'
import type { HostingFindings } from '@mcp-toolkits/server'
import type { TeamServer } from '../parts.ts'
import { allPermissions } from '../tokens/permissions.ts'
import type { PeopleOptions } from './people-options.ts'
import { peopleFile, withPeople } from './people-state.ts'
import { type HostingInspection, inspectHosting, readKeys } from './shared-store.ts'

type InspectedServer = Pick<TeamServer<never>, 'name' | 'sealedColumns'>

/** Says which database `--store` names and how it is. Throws as `withStore`. */
export async function inspectStore<Context>(definition: TeamServer<Context>, line: CommandLine): Promise<HostingFindings> {
  const found = await inspectHosting(definition, line)
  return {
    settings: found.settings,
    hasTables: found.version === found.ownVersion,
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
  if (version === 0) return 'none; the first server makes them'
  if (version < ownVersion) return `version ${version}; the first server of this release makes them version ${ownVersion}`
  return version === ownVersion ? `version ${version}` : `version ${version}, of a later release than this one (${ownVersion})`
}

/** Rows that no key opens are of no use to any call. */
function keyWarnings({ sealedRows, keyIds }: HostingInspection): string[] {
  const unknown = Object.entries(sealedRows).filter(([id]) => !keyIds.includes(id))
  return unknown.map(([id, rows]) => `${count(rows, 'row')} cannot be opened: MCP_TOOLKITS_VAULT_KEYS lacks the key ${id}.`)
}

/** Says what `http --issuer` would do. Nothing is changed. Throws `UsageError`, and `Unavailable` for a file or an identity provider that cannot be used. */
export async function inspectPeople(
  definition: InspectedServer,
  line: CommandLine,
  { issuer, publicUrl, audiences, scopeNames, subjectClaim, accounts, authorizationServer }: PeopleOptions,
): Promise<Omit<HostingFindings, 'settings'>> {
  readKeys(line.settings.environment, '--issuer')
  const [problems, mistakes]: [string[], string[]] = [[], []]
  const onFailure = (problem: string, isMistake: boolean) => void (isMistake ? mistakes : problems).push(problem)
  const { openTokenVerifier } = await import('../tokens/token-verifier.ts')
  const verifier = openTokenVerifier({ issuer, audiences, subjectClaim, clock: systemClock, onFailure })
  const people = line.store === undefined ? await peopleInFile(definition, line) : []
  await verifier.ready().catch(() => undefined)
  const [mistake] = mistakes
  if (mistake !== undefined) throw new Unavailable(mistake, { retryable: false })
  const signIn = (accounts.kind === 'person' ? accounts.signIn : authorizationServer)?.clientId
  return {
    lines: [
      `issuer: ${issuer}`,
      `public URL: ${publicUrl}`,
      ...(authorizationServer ? [`authorization server: ${publicUrl}, this server`] : []),
      `audience: ${audiences.join(', ')}`,
      `scopes: ${allPermissions.map((permission) => `${permission}=${scopeNames[permission]}`).join(', ')}`,
      `person: the claim ${subjectClaim}`,
      ...(signIn === undefined ? [] : [`sign-in: as the client ${signIn}, to ${publicUrl}/connect/signed-in`]),
      ...(accounts.kind === 'person' && accounts.vendor ? [`consent: back to ${publicUrl}/connect/callback`] : []),
      ...people,
    ],
    warnings: [...problems, ...subjectWarnings(subjectClaim)],
  }
}

async function peopleInFile(definition: InspectedServer, line: CommandLine): Promise<readonly string[]> {
  const file = peopleFile(definition, line)
  if (!existsSync(file)) return [`people: none; the first start makes ${file}`]
  return withPeople(definition, line, async ({ state }) => {
    return [`people: ${count((await state.people.list()).length, 'person', 'people')} in ${file}`]
  })
}
