import { systemErrorCode } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import { withApps } from '../mcp/apps/with-apps.ts'
import type { ServerDefinition } from '../mcp/definition.ts'
import { listing, toolListProblem } from '../mcp/listing/listing.ts'
import { commandsOf, optionProblem } from '../mcp/extension.ts'
import { options } from './options/option-table.ts'
import { readCommandLine } from './options/command-line.ts'
import type { CommandName } from './options/command-options.ts'
import { type HostedServer, teamOf } from '../team.ts'
import { type CommandLine, type Console, print, UsageError } from './command.ts'
import type { Command } from './commands/command-type.ts'

const ofTeam =
  (name: 'people' | 'vault'): Command =>
  async (definition, line, console) =>
    (await teamOf(definition))[name](definition, line, console)

/** Commands, each loaded only when it runs. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  stdio: async () => (await import('./commands/stdio.ts')).stdio,
  http: async () => (await import('./commands/http.ts')).http,
  tools: async () => (await import('./commands/tools.ts')).tools,
  call: async () => (await import('./commands/call.ts')).call,
  login: async () => (await import('./commands/login.ts')).login,
  logout: async () => (await import('./commands/login.ts')).logout,
  status: async () => (await import('./commands/status.ts')).status,
  people: () => Promise.resolve(ofTeam('people')),
  vault: () => Promise.resolve(ofTeam('vault')),
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  config: async () => (await import('./commands/config.ts')).config,
  completion: async () => (await import('./commands/completion.ts')).completion,
  emulator: async () => (await import('./commands/emulator.ts')).emulator,
}

/**
 * Reads `args`, runs the command and resolves with the exit code: 0 for success, 1 for an error, 2 for a usage error. Every error that is
 * not a defect becomes one line on standard error.
 */
export async function runCli<Context>(
  definition: HostedServer<Context>,
  args: readonly string[],
  processConsole: Console,
): Promise<number> {
  let console = processConsole
  const fail = async (text: string, code: number) => {
    await print(console.errors, `${definition.name}: ${text}`)
    return code
  }
  const unwritten = watchOutput(console)
  let dataDirectory: string | undefined
  const run = async () => {
    const { environment } = console
    if (namesSecretFiles(definition, environment)) {
      const { withSecretFiles } = await import('./secrets.ts')
      console = { ...console, environment: withSecretFiles(environment, variablePrefixes(definition)) }
    }
    if (namesProxy(console.environment)) {
      const { useProxy } = await import('./process/proxy.ts')
      const warning = useProxy(console.environment)
      if (warning !== undefined) await print(console.errors, `${definition.name}: ${warning}`)
    }
    const line = await readCommandLine(args, console.environment, definition)
    dataDirectory = line.settings.dataDirectory
    if (line.store !== undefined) {
      const warning = (await import('./secrets.ts')).passwordWarning(args, line.store)
      if (warning !== undefined) await print(console.errors, `${definition.name}: warning: ${warning}`)
    }
    if (line.version) return printAndSucceed(console, definition.version)
    const chosen = await withChosenTools(definition, line, console)
    if (line.help || line.command === 'help')
      return printAndSucceed(console, await (await import('./options/help.ts')).help(chosen, line, console))
    checkSettings(chosen, line)
    const appCommand = ownProperty(commandsOf(chosen), line.command)
    if (appCommand) return (await import('./commands/app-command.ts')).runAppCommand(chosen, appCommand, { line, console })
    const entry = ownProperty(commands, line.command)
    if (!entry) throw (await import('./failure.ts')).unknownCommand(definition, line.command)
    const command = await entry()
    return command(chosen, line, console)
  }
  try {
    const code = await run()
    const reason = unwritten()
    return code === 0 && reason !== undefined ? await fail(`Writing to standard output failed (${reason}).`, 1) : code
  } catch (error) {
    const failure = (await import('./failure.ts')).failureOf(error, definition, { console, dataDirectory })
    if (!failure) throw error
    return await fail(failure.text, failure.code)
  }
}

/** Remembers the reason if writing to standard output fails. A reader that closes early, such as `| head`, is not a failure. */
function watchOutput({ output }: Console): () => string | undefined {
  let reason: string | undefined
  output.on('error', (error) => {
    const code = systemErrorCode(error)
    if (code !== undefined && !readerLeft.includes(code)) reason ??= code
  })
  return () => reason
}

const readerLeft = ['EPIPE', 'ECONNRESET', 'EOF']

/** The value for a typed name, which may happen to be a name on `Object.prototype`. */
function ownProperty<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

const variablePrefixes = ({ name }: Pick<ServerDefinition<never>, 'name'>) => [
  'MCP_TOOLKITS_',
  `${name.toUpperCase().replaceAll('-', '_')}_`,
]

/** True if any variable holds a file's path instead of a value. */
function namesSecretFiles(definition: Pick<ServerDefinition<never>, 'name'>, environment: Environment): boolean {
  const prefixes = variablePrefixes(definition)
  return Object.keys(environment).some((name) => name.endsWith('_FILE') && prefixes.some((prefix) => name.startsWith(prefix)))
}

/** True if the environment names a proxy for requests to other machines. */
const namesProxy = (environment: Environment) =>
  ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => Boolean(environment[name]))

async function printAndSucceed(console: Console, text: string): Promise<number> {
  await print(console.output, text)
  return 0
}

/** Commands that give a client its list of tools, or show the list. */
const showsTools: readonly string[] = ['stdio', 'http', 'tools', 'config'] satisfies readonly CommandName[]

/** The server with the toolsets that its options choose. Throws `UsageError` for an unknown one. */
async function withChosenTools<Context>(
  definition: HostedServer<Context>,
  { settings, command }: CommandLine,
  console: Console,
): Promise<HostedServer<Context>> {
  const { toolsets, tools } = settings
  if (!toolsets && !tools) return withApps<Context, HostedServer<Context>>(definition, settings)
  const { listProblem, toolsetProblem, withToolsets } = await import('../mcp/listing/toolsets.ts')
  const unknown = toolsetProblem(definition, toolsets ?? [])
  if (unknown !== undefined) throw new UsageError(`--toolsets ${unknown}`)
  const chosen = await withToolsets(definition, settings)
  const problem = showsTools.includes(command) ? listProblem(listing(chosen, settings)) : undefined
  if (problem !== undefined) await print(console.errors, `${definition.name}: warning: ${problem}`)
  return chosen
}

/** Checks that need the definition. Throws `UsageError`. */
function checkSettings<Context>(definition: ServerDefinition<Context>, { settings, forwarded }: CommandLine): void {
  const problem = toolListProblem(definition, settings.tools ?? [])
  if (problem !== undefined) throw new UsageError(`--tools ${problem}`)
  const isTyped = ({ name }: { readonly name: string }) => forwarded.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  // The variable alone is not an error: it may be meant for other servers of the same client.
  if (!definition.account && isTyped(options.profile)) throw new UsageError('--profile is only for servers that people sign in to.')
  const invalid = optionProblem(definition, settings, (_, option) => (isTyped(option) ? `--${option.name}` : option.variable))
  if (invalid !== undefined) throw new UsageError(invalid)
}
