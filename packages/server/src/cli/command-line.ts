import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from '@mcp-toolkits/core'
import { isProfileName } from '../accounts/profile-name.ts'
import { isDirectoryPath } from '../data-directory.ts'
import type { Settings } from '../definition.ts'
import { logLevels, type LogLevel } from '../log.ts'
import { UsageError } from './console.ts'

const options = {
  embedded: { type: 'boolean' },
  'data-dir': { type: 'string' },
  profile: { type: 'string' },
  'read-only': { type: 'boolean' },
  tools: { type: 'string' },
  'tool-names': { type: 'string' },
  'log-level': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'allowed-hosts': { type: 'string' },
  output: { type: 'string' },
  'allow-private-urls': { type: 'string' },
  scopes: { type: 'string' },
  'no-browser': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Which options belong to one command; the rest go with every command. */
const ofCommand: Readonly<Record<string, readonly string[]>> = {
  host: ['http'],
  port: ['http', 'emulator', 'login'],
  'allowed-hosts': ['http'],
  output: ['call'],
  scopes: ['login'],
  'no-browser': ['login'],
  json: ['tools', 'status', 'outbox'],
}

export interface CommandLine {
  readonly command: string
  readonly operands: readonly string[]
  /** The options that go with every command, as far as they were given, so that another command line can carry them. */
  readonly forwarded: readonly string[]
  readonly settings: Settings
  readonly logLevel: LogLevel
  readonly host: string
  readonly port: number | undefined
  readonly allowedHosts: readonly string[]
  readonly output: string | undefined
  /** What `login` asks for; empty when nothing is said. */
  readonly scopes: readonly string[]
  readonly browser: boolean
  readonly json: boolean
  readonly help: boolean
  readonly version: boolean
}

/** Reads the command line over the environment. Throws `UsageError`. */
export async function readCommandLine(args: readonly string[], environment: Environment): Promise<CommandLine> {
  const { values, positionals } = parse(args)
  const [command = 'stdio', ...operands] = positionals
  for (const option of Object.keys(values)) {
    const commands = ofCommand[option]
    if (commands && !commands.includes(command)) throw new UsageError(`--${option} goes with: ${commands.join(', ')}.`)
  }
  const privateUrls = values['allow-private-urls']
  const tools = toolList('--tools', values.tools) ?? toolList('MCP_TOOLKITS_TOOLS', filled(environment, 'MCP_TOOLKITS_TOOLS'))
  const dataDirectory =
    directory('--data-dir', values['data-dir']) ?? directory('MCP_TOOLKITS_DATA_DIR', filled(environment, 'MCP_TOOLKITS_DATA_DIR'))
  const toolNames = chosen(['safe', 'canonical'], {
    option: '--tool-names',
    value: values['tool-names'],
    variable: 'MCP_TOOLKITS_TOOL_NAMES',
    environment,
  })
  const logLevel = chosen(logLevels, {
    option: '--log-level',
    value: values['log-level'],
    variable: 'MCP_TOOLKITS_LOG_LEVEL',
    environment,
  })
  const profile = values.profile ?? filled(environment, 'MCP_TOOLKITS_PROFILE')
  return {
    command,
    operands,
    forwarded: given(values),
    settings: {
      embedded: values.embedded ?? flag(environment, 'MCP_TOOLKITS_EMBEDDED') ?? false,
      accountRequired: values.embedded === undefined && flag(environment, 'MCP_TOOLKITS_EMBEDDED') === false,
      dataDirectory: dataDirectory ?? (await defaultDataDirectory()),
      dataDirectoryIsChosen: dataDirectory !== undefined,
      ...(profile !== undefined && { profile: profileName(profile) }),
      readOnly: values['read-only'] ?? flag(environment, 'MCP_TOOLKITS_READ_ONLY') ?? false,
      ...(tools && { tools }),
      toolNames: toolNames ?? 'safe',
      ...(privateUrls !== undefined && { allowPrivateUrls: list(privateUrls) }),
      environment,
    },
    logLevel: logLevel ?? 'info',
    host: values.host ?? '127.0.0.1',
    port: values.port === undefined ? undefined : portNumber(values.port),
    allowedHosts: list(values['allowed-hosts']),
    output: values.output,
    scopes: scopeList(values.scopes),
    browser: values['no-browser'] !== true,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.')
  }
}

/** A directory is written out in full: whoever starts the other command line does so from a directory of its own. */
function given(values: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.keys(options).flatMap((option) => {
    const value = values[option]
    if (value === undefined || Object.hasOwn(ofCommand, option) || option === 'help' || option === 'version') return []
    if (typeof value === 'boolean') return [`--${option}`]
    return [`--${option}`, option === 'data-dir' ? path.resolve(value) : value]
  })
}

async function defaultDataDirectory(): Promise<string> {
  const { default: envPaths } = await import('env-paths')
  return envPaths('mcp-toolkits', { suffix: '' }).data
}

/** A variable that is not empty; hosts hand on an optional setting that nobody filled in as an empty one. */
function filled(environment: Environment, variable: string): string | undefined {
  const value = environment[variable] ?? ''
  return value === '' ? undefined : value
}

/** A directory in full: the commands that errors name are run elsewhere. */
function directory(option: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  if (!isDirectoryPath(value)) throw new UsageError(`${option} must be the path of a directory, not "${value}".`)
  return path.resolve(value)
}

/** What a variable says about an option; undefined when it says nothing. */
function flag(environment: Environment, variable: string): boolean | undefined {
  const value = environment[variable] ?? ''
  if (value === '') return undefined
  if (['1', 'true'].includes(value.toLowerCase())) return true
  if (['0', 'false'].includes(value.toLowerCase())) return false
  throw new UsageError(`${variable} must be 1 or 0, not "${value}".`)
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** No name at all is neither every tool nor none. */
function toolList(option: string, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const names = list(text)
  if (names.length === 0) throw new UsageError(`${option} must be names of tools with commas between them, not "${text}".`)
  return names
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
function scopeList(text: string | undefined): string[] {
  const scopes = list(text).flatMap((part) => part.split(/\s+/))
  const odd = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (odd !== undefined) throw new UsageError(`--scopes must be names with commas between them; "${odd}" is none.`)
  return scopes
}

/** The word that an option or its variable says; undefined when neither does. */
function chosen<Word extends string>(
  allowed: readonly Word[],
  said: { readonly option: string; readonly value: string | undefined; readonly variable: string; readonly environment: Environment },
): Word | undefined {
  const value = said.value ?? filled(said.environment, said.variable)
  const found = allowed.find((word) => word === value)
  if (value === undefined || found !== undefined) return found
  throw new UsageError(`${said.value === undefined ? said.variable : said.option} must be one of ${allowed.join(', ')}, not "${value}".`)
}

function profileName(name: string): string {
  if (!isProfileName(name)) throw new UsageError(`--profile must be a name of letters, digits, ".", "_" and "-", not "${name}".`)
  return name
}

function portNumber(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`--port must be a number from 0 to 65535, not "${text}".`)
  return port
}
