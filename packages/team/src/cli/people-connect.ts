import { accountText, type AccountInfo } from '@mcp-toolkits/server/account'
import { encodeGrant, grantStore } from '../accounts/grants.ts'
import type { AccountRef, Person } from '@mcp-toolkits/core/base'
import { printableLine } from '@mcp-toolkits/core/errors'
import { apiKeyOf, type Settings } from '@mcp-toolkits/server'
import type { TeamServer } from '../team-server.ts'
import {
  type CommandLine,
  type Console,
  print,
  runInterruptibly,
  UsageError,
  logTo,
  logInAtTerminal,
  readOperatorSecret,
} from '@mcp-toolkits/server/cli'
import { auditTo } from '../audit-log.ts'
import { type OpenPeople, openPeople } from './people-state.ts'

interface ConnectTarget {
  /** The client id in the identity provider's tokens. */
  readonly clientId: string
  readonly line: CommandLine
}

/** Connects a service identity's account: the operator signs in for it, or gives its key in the environment. */
export async function connectService<Context>(
  definition: TeamServer<Context>,
  { clientId, line }: ConnectTarget,
  console: Console,
): Promise<number> {
  const { issuer, settings } = line
  if (issuer === undefined)
    throw new UsageError('people connect needs --issuer (MCP_TOOLKITS_ISSUER), the identity provider that issues the tokens.')
  const person = { issuer, subject: clientId, isService: true } as const
  const people = await openPeople(definition, line)
  try {
    const { state, shared } = people
    const audit =
      line.audit === undefined ? undefined : auditTo({ target: line.audit, shared, log: logTo(definition, console, 'error') }, console)
    const ref = { owner: state.people.ownerOf(person), profile: settings.profile ?? 'default' }
    return await withPerson(people, person, () =>
      connect(definition, { people, ref, line }, console, async (info, purpose) => {
        const account = printableLine(accountText(info))
        const event = { ...person, profile: ref.profile, purpose, ...(account !== '' && { account }) }
        audit?.connection({ action: 'connect', ...event, outcome: 'ok' })
        const what = account === '' ? `an account at ${definition.vendor}` : account
        await print(console.output, `Calls by the service identity ${printableLine(clientId)} now act as ${what}, on every replica.`)
        return 0
      }),
    )
  } finally {
    await people.close()
  }
}

/**
 * Registers the person while `work` runs: grants are stored only for known people. If no grant was stored, the person is forgotten again.
 */
async function withPerson<Result>({ state: { people } }: OpenPeople, person: Person, work: () => Promise<Result>): Promise<Result> {
  await people.remember(person)
  try {
    return await work()
  } finally {
    const owner = people.ownerOf(person)
    if ((await people.grants.list(owner)).length === 0) await people.forget(owner)
  }
}

/** Last step of connecting; resolves with the exit code. */
type Finish = (account: AccountInfo, purpose: 'account' | 'key') => Promise<number>

async function connect<Context>(
  definition: TeamServer<Context>,
  { people: { state }, ref, line }: { readonly people: OpenPeople; readonly ref: AccountRef; readonly line: CommandLine },
  console: Console,
  finish: Finish,
): Promise<number> {
  const { account } = definition
  const keyVariable = apiKeyOf(definition)?.variable
  if (account) {
    const settings: Settings = { ...line.settings, sharedLogins: { store: grantStore(state, ref.owner), atStart: undefined } }
    const login = { account, settings, line }
    return logInAtTerminal(definition, login, console, ({ login: { account: info } }) => finish(info, 'account'))
  }
  const { environment } = line.settings
  if (keyVariable === undefined || environment['MCP_TOOLKITS_KEYS'] !== 'person')
    throw new UsageError(
      `All callers use the key in ${keyVariable ?? 'the environment'}, unless MCP_TOOLKITS_KEYS is person. There is nothing to connect.`,
    )
  const key = readKey(environment, keyVariable)
  const steps = await definition.loadConnectSteps?.(line.settings)
  return runInterruptibly(console, async ({ signal }) => {
    const info = (await steps?.key?.check(key, signal)) ?? {}
    await state.people.grants.write(ref, encodeGrant({ kind: 'key', key, account: info }))
    return finish(info, 'key')
  })
}

function readKey(environment: Settings['environment'], variable: string) {
  const key = readOperatorSecret(environment, variable, 'key')
  if (key) return key
  throw new UsageError(`Put the service identity's key into ${variable}, for this command only.`)
}
