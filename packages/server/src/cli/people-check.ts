import { existsSync } from 'node:fs'
import { openTokenVerifier } from '@mcp-toolkits/auth/people/token-verifier'
import { Unavailable } from '@mcp-toolkits/core'
import { systemClock } from '@mcp-toolkits/core/clock'
import { count } from '@mcp-toolkits/core/text'
import type { ServerDefinition } from '../definition.ts'
import { allPermissions } from '../people/permissions.ts'
import type { CommandLine } from './command.ts'
import type { PeopleOptions } from './people-options.ts'
import { peopleFile, withPeople } from './people-state.ts'
import { readKeys } from './store-options.ts'

type HostedServer = Pick<ServerDefinition<never>, 'name' | 'sealedColumns'>

interface PeopleFindings {
  readonly lines: readonly string[]
  readonly warnings: readonly string[]
}

/** What `http --issuer` would do, for `--check`. Nothing is changed. Throws `UsageError`, and `Unavailable` for a file or an identity provider that cannot be used. */
export async function peopleFindings(
  definition: HostedServer,
  line: CommandLine,
  { issuer, publicUrl, audiences, scopeNames, subjectClaim, accounts, authorizationServer }: PeopleOptions,
): Promise<PeopleFindings> {
  readKeys(line.settings.environment, '--issuer')
  const [problems, mistakes]: [string[], string[]] = [[], []]
  const onFailure = (problem: string, isMistake: boolean) => void (isMistake ? mistakes : problems).push(problem)
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
    warnings: problems,
  }
}

async function peopleInFile(definition: HostedServer, line: CommandLine): Promise<readonly string[]> {
  const file = peopleFile(definition, line)
  if (!existsSync(file)) return [`people: none; the first start makes ${file}`]
  return withPeople(definition, line, async ({ state }) => {
    return [`people: ${count((await state.people.list()).length, 'person', 'people')} in ${file}`]
  })
}
