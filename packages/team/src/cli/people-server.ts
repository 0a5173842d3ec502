import type { CommandLine } from '@mcp-toolkits/server/cli'
import { apiKeyOf, type Settings, type PeopleServer } from '@mcp-toolkits/server'
import type { TeamServer } from '../team-server.ts'
import { type PeopleOptions, readPeopleOptions } from './people-options.ts'

/** Reads the options that go with `--issuer`; undefined without it. Throws `UsageError` for conflicting options. */
export function readPeople<Context>(definition: TeamServer<Context>, line: CommandLine): PeopleServer | undefined {
  const people = readPeopleOptions(definition, line)
  if (!people) return undefined
  return {
    publicUrl: people.publicUrl,
    serve: async (address, console) => (await import('./people-http.ts')).servePeople(definition, { line, address, people }, console),
    inspect: async () => (await import('./people-check.ts')).inspectPeople(definition, line, people),
    upstream: () => peopleUpstream(definition, line.settings, people),
    token: people.authorizationServer ? 'from this server' : 'from the identity provider',
  }
}

/** Destination and credential of people's calls. */
function peopleUpstream<Context>(definition: TeamServer<Context>, settings: Settings, { accounts }: PeopleOptions): string {
  const { vendor } = definition
  if (accounts.kind === 'person') return `${accounts.vendor?.target.apiUrl ?? vendor} with each person's own account`
  const upstream = definition.upstream(settings)
  return `${upstream.kind === 'vendor' ? upstream.url : vendor} with ${apiKeyOf(definition)?.variable ?? ''}, for all people`
}
