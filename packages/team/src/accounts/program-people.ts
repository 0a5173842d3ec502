import { createHash } from 'node:crypto'
import { type Caller, dataPath, lazyLocks, systemClock } from '@mcp-toolkits/core/base'
import { Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import type { ConnectOptions, ServerDefinition, Settings, ProgramPeopleOptions } from '@mcp-toolkits/server'
import { errorFields, type Toolbox } from '@mcp-toolkits/server/mcp'
import { openAccountsToolbox, type PersonAccount } from './people-toolbox-base.ts'
import { Connections } from './connection-pool.ts'
import { withAccount } from '@mcp-toolkits/server/library'

/** A caller, as named by the program. */
export function programCaller(person: string): Caller {
  const owner = createHash('sha256').update(person).digest('base64url')
  return { issuer: 'program', subject: person, owner, clientId: 'program', permissions: ['read', 'write', 'delete'], profile: 'default' }
}

/** A server's tools in a program that determines each person's account. */
export async function openProgramPeople<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  { accountOf, account, spelling, log, fetch, clock = systemClock }: ProgramPeopleOptions,
): Promise<Toolbox> {
  const connections = new Connections<Context>({ clock, log })
  // One file for all people, regardless of the number of connections.
  const local = lazyLocks(async () => {
    const { openLocalState } = await import('@mcp-toolkits/server/storage')
    return openLocalState({ file: dataPath(settings.dataDirectory, definition.name, 'state.db'), clock, log })
  })
  const options: ConnectOptions = { log, clock, locks: local.locks, ...(fetch && { fetch }) }
  const connector = await definition.load.connector()
  const many = connector.connectMany?.(settings, options)
  const connect = many?.connect ?? connector.connect
  const ask = async (person: string): Promise<unknown> => {
    try {
      return await accountOf(person)
    } catch (error) {
      log.error('account', { problem: 'accountOf failed', ...errorFields(error) })
      throw new Unavailable('The application that embeds this server could not say which account this person has. Make the call again.')
    }
  }
  const find = async ({ subject, owner }: Caller): Promise<PersonAccount<Context>> => {
    const given = await ask(subject)
    if (given === undefined) throw new Unauthenticated('The application that embeds this server has no account for this person.')
    const own = withAccount({ ...settings, owner, servesPeople: true, servesOtherMachines: true }, given, { definition, account })
    const digest = createHash('sha256').update(JSON.stringify(own.environment)).digest('base64url')
    // A changed token leads to a new connection with the same records.
    return { name: JSON.stringify([owner, digest]), recordedAs: 'account', settings: own, open: async () => connect(own, options) }
  }
  const toolbox = openAccountsToolbox(definition, settings, { accountOf: find, connections, spelling, log, clock })
  return {
    ...toolbox,
    async close() {
      await toolbox.close()
      await many?.close()
      await local.close()
    },
  }
}
