import type { AccountConfig } from '../../account/account.ts'
import { browserCommand, canOpen, startDetached } from '../../account/login/browser.ts'
import { accountText, logIn, type LoginResult, logOut, readLoginRequest } from '../../account/login/login.ts'
import { overridingVariables } from '../../account/tokens/token-source.ts'
import { joinWords, printableLine, ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { type HostedServer, teamOf } from '../../team.ts'
import { type CommandLine, type Console, print, runInterruptibly, UsageError } from '../command.ts'
import type { Command } from './command-type.ts'
import { toolsForModels } from '../../mcp/listing/listed-tool.ts'

/** Time that a person has to sign in, in milliseconds. */
const defaultTimeoutMs = 5 * 60_000

/** Has a person sign in with a browser, and stores the login for the servers. */
export const login: Command = async (definition, line, console) => {
  const { operands } = line
  const { account } = definition
  if (!account) throw new UsageError(`${definition.title} has no sign-in. ${String(definition.connectHint)}`)
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}. Name scopes with --scopes, separated by commas.`)
  return withLogins(definition, line, async (settings) => {
    return logInAtTerminal(definition, { account, settings, line }, console, async (result) => {
      await print(console.output, [...summary(result, account.provider.name), ...usageNotes(account, settings)].join('\n'))
      return 0
    })
  })
}

export interface TerminalLogin {
  readonly account: AccountConfig
  /** The login's location and profile. */
  readonly settings: Settings
  readonly line: Pick<CommandLine, 'scopes' | 'browser' | 'port'>
  /** Time that the person has to sign in, in milliseconds; five minutes by default. */
  readonly timeoutMs?: number
}

/** Has a person sign in with a browser on this machine, and stores the login. Resolves with `finish`'s exit code. */
export async function logInAtTerminal<Context>(
  { listedTools }: Pick<ServerDefinition<Context>, 'listedTools'>,
  { account, settings, line: { scopes, browser, port = 0 }, timeoutMs = defaultTimeoutMs }: TerminalLogin,
  console: Console,
  finish: (result: LoginResult) => Promise<number>,
): Promise<number> {
  const onUrl = (url: string) => showUrl(url, { account, browser, console, minutes: Math.ceil(timeoutMs / 60_000) })
  const request = await readLoginRequest(account, settings, scopes).catch((error: unknown) => {
    throw error instanceof Unauthenticated ? new UsageError(error.message) : error
  })
  return runInterruptibly(console, async ({ signal }) =>
    finish(await logIn(request, { account, settings, tools: toolsForModels(listedTools), port, timeoutMs, onUrl, signal })),
  )
}

/** Runs a command with the logins in `--store`, or else in the data directory. */
async function withLogins<Context, Result>(
  definition: HostedServer<Context>,
  line: CommandLine,
  work: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  if (line.store === undefined) return work(line.settings)
  return (await teamOf(definition)).withStore(definition, line, work)
}

interface UrlDisplay {
  readonly account: AccountConfig
  readonly browser: boolean
  readonly console: Console
  /** Minutes that the command waits for the person. */
  readonly minutes: number
}

/** Prints the URL and, if that is wanted and safe, opens it. It is always printed, because the browser may not start. */
async function showUrl(url: string, { account: { provider }, browser, console, minutes }: UrlDisplay): Promise<void> {
  const { environment } = console
  const command = browser && canOpen(url, provider) ? browserCommand(url, { platform: process.platform, environment }) : undefined
  const lead = command
    ? `Opening your browser to let you sign in to ${provider.name}. If it does not open, visit this address on this machine:`
    : `To sign in to ${provider.name}, open this address in a browser on this machine:`
  await print(console.output, `${lead}\n\n${url}\n\nWaiting for up to ${minutes} min; press Ctrl-C to cancel.`)
  if (command) startDetached(command, environment)
}

export function summary({ login: { account, scopes = [], tokens }, scopeNotes, location }: LoginResult, name: string): string[] {
  const person = accountText(account)
  const signedIn =
    person === '' ? `Signed in to ${name}. It did not say which account this is.` : `Signed in to ${name} as ${printableLine(person)}.`
  const end = tokens.refreshToken ? [] : [`${name} sent no refresh token, so the login expires when its access token does.`]
  return [signedIn, `Scopes: ${printableLine(scopes.join(', '))}.`, ...end, ...scopeNotes, `Stored in ${location}.`]
}

/** Notes on when the login is used. */
function usageNotes(account: AccountConfig, { embedded, environment }: Settings): string[] {
  const overriding = embedded ? ['--embedded'] : overridingVariables(account, environment)
  if (overriding.length > 0) return [`This login is not used while ${joinWords(overriding, 'or')} is set.`]
  return ['A running server uses this login from its next call on. Restart any server that is running on its built-in emulator.']
}

/** Has the provider revoke the login, and deletes it even if that fails; exit code 1 if the provider could not be reached. */
export const logout: Command = async (definition, line, console) => {
  const { operands } = line
  const { account } = definition
  if (!account) throw new UsageError(`${definition.title} has no sign-in. ${String(definition.connectHint)}`)
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}. Choose a login with --profile.`)
  try {
    const { isDone, message } = await withLogins(definition, line, (settings) => logOut(account, settings))
    await print(isDone ? console.output : console.errors, message)
    return isDone ? 0 : 1
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    await print(console.errors, `${definition.name}: ${error.message}`)
    return 1
  }
}
