import { existsSync } from 'node:fs'
import { systemClock } from '@mcp-toolkits/core/base'
import { count, Unavailable } from '@mcp-toolkits/core/errors'
import type { HostingFindings } from '@mcp-toolkits/server'
import { type CommandLine, subjectWarnings } from '@mcp-toolkits/server/cli'
import type { TeamServer } from '../team-server.ts'
import { allPermissions } from '../tokens/permissions.ts'
import type { PeopleOptions } from './people-options.ts'
import { peopleFile, withPeople } from './people-state.ts'
import { readKeys } from './with-store.ts'

type InspectedServer = Pick<TeamServer<never>, 'name' | 'sealedColumns'>

/**
 * Describes the effect of `http --issuer`. Changes nothing. Throws `UsageError`, and `Unavailable` for an unusable file or identity
 * provider.
 */
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
  if (!existsSync(file)) return [`people: none; the first start creates ${file}`]
  return withPeople(definition, line, async ({ state }) => {
    return [`people: ${count((await state.people.list()).length, 'person', 'people')} in ${file}`]
  })
}
