import type { AppCommand, ServerDefinition } from '../definition.ts'
import { type Console, print, UsageError } from './console.ts'
import { readCommandLine, type CommandLine } from './command-line.ts'
import { toolListProblem } from '../listing.ts'
import { privateHosts } from '../private-hosts.ts'
import { isSystemError } from '../system-error.ts'

/** Runs one command; resolves with the exit code. */
export type Command = <Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console) => Promise<number>

/** Every command, loaded when it is the one. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  stdio: async () => (await import('./serve.ts')).stdio,
  http: async () => (await import('./serve.ts')).http,
  tools: async () => (await import('./tools.ts')).tools,
  call: async () => (await import('./tools.ts')).call,
  status: async () => (await import('./status.ts')).status,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./logout.ts')).logout,
  config: async () => (await import('./config.ts')).config,
  emulator: async () => (await import('./serve.ts')).emulator,
}

/** Reads `args`, runs the command and resolves with the exit code: 0 done, 1 a tool error, 2 a usage error. */
export async function runCli<Context>(definition: ServerDefinition<Context>, args: readonly string[], console: Console): Promise<number> {
  try {
    const line = await readCommandLine(args, console.environment)
    if (line.version) return await printed(console, definition.version)
    if (line.help || line.command === 'help') return await printed(console, (await import('./help.ts')).help(definition))
    checkTools(definition, line)
    checkProfile(definition, line)
    await checkPrivateHosts(definition, line)
    const own = named(definition.commands ?? {}, line.command)
    if (own) return await reported(own, line, console)
    const load = named(commands, line.command)
    if (!load) throw new UsageError(`There is no command "${line.command}". Commands: ${commandNames(definition).join(', ')}.`)
    const command = await load()
    return await command(definition, line, console)
  } catch (error) {
    if (error instanceof UsageError) return await told(console, `${definition.name}: ${error.message} Try --help.`, 2)
    if (isSystemError(error)) return await told(console, `${definition.name}: ${error.message}`, 1)
    throw error
  }
}

/** What a record has under a name that a person wrote, which may be one that every object has. */
function named<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function commandNames<Context>({ commands: own = {} }: ServerDefinition<Context>): string[] {
  return [...Object.keys(commands).slice(1), ...Object.keys(own)]
}

async function reported(command: AppCommand, { settings, operands, json }: CommandLine, console: Console): Promise<number> {
  const { code, text } = await command.run(settings, operands, { json })
  await print(code === 0 ? console.output : console.errors, text)
  return code
}

async function told(console: Console, text: string, code: number): Promise<number> {
  await print(console.errors, text)
  return code
}

async function printed(console: Console, text: string): Promise<number> {
  await print(console.output, text)
  return 0
}

/** What can read the entries is loaded where there are any. */
async function checkPrivateHosts<Context>({ privateUrlsVariable }: ServerDefinition<Context>, { settings }: CommandLine): Promise<void> {
  if (privateUrlsVariable === undefined) {
    if (!settings.allowPrivateUrls) return
    throw new UsageError('--allow-private-urls is for servers that fetch URLs; this one does not.')
  }
  const allowed = privateHosts(settings, privateUrlsVariable)
  if (allowed.hosts.length === 0) return
  const { invalidHostProblem } = await import('../private-hosts.ts')
  const problem = invalidHostProblem(allowed)
  if (problem !== undefined) throw new UsageError(problem)
}

/** Whoever names a login would take what is served for theirs. The variable may be meant for other servers of the same client. */
function checkProfile<Context>({ signIn }: ServerDefinition<Context>, { forwarded: given }: CommandLine): void {
  if (!signIn && given.includes('--profile')) throw new UsageError('--profile is for servers with a sign-in; this one has none.')
}

function checkTools<Context>(definition: ServerDefinition<Context>, { settings }: CommandLine): void {
  const problem = toolListProblem(definition, settings.tools ?? [])
  if (problem !== undefined) throw new UsageError(`--tools ${problem}`)
}
