import path from 'node:path'
import { parseArgs } from 'node:util'
import { quote } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import { type Extended, fileOptionsOf } from '../../mcp/extension.ts'
import { options, optionsOf } from './option-table.ts'
import type { Option } from './option.ts'
import { UsageError, type CommandLine } from '../command.ts'
import { commandsWith } from './command-options.ts'

/** Options as typed; a flag is `1`. */
type Values = ReadonlyMap<string, string>

type Options = ReturnType<typeof optionsOf>

/** Reads a server's command line, which overrides the environment. Throws `UsageError`. */
export async function readCommandLine(args: readonly string[], environment: Environment, server: Extended = {}): Promise<CommandLine> {
  const known = optionsOf(server)
  const { values, positionals, forTool } = await parse(args, server)
  const [command = 'stdio', ...operands] = positionals
  for (const [key, { name }] of known) {
    const commands = values.has(name) ? commandsWith(key, server) : undefined
    if (commands && !commands.includes(command)) throw new UsageError(`--${name} is only for: ${commands.join(', ')}.`)
  }
  const read = <Value>(option: Option<Value>) => readOption(option, values, environment)
  const [embedded, dataDirectory] = [read(options.embedded), read(options.dataDirectory)]
  const [profile, toolsets, tools, seed] = [read(options.profile), read(options.toolsets), read(options.tools), read(options.seed)]
  const [apps, questionSeconds] = [read(options.apps), read(options.questionSeconds)]
  return {
    command,
    operands,
    forTool,
    forwarded: forwardedOptions(known, values),
    settings: {
      embedded: embedded ?? false,
      accountRequired: embedded === false,
      dataDirectory: dataDirectory ?? (await defaultDataDirectory()),
      dataDirectoryIsChosen: dataDirectory !== undefined,
      ...(seed !== undefined && { seed }),
      ...(profile !== undefined && { profile }),
      readOnly: read(options.readOnly) ?? false,
      ...(toolsets && { toolsets }),
      ...(tools && { tools }),
      toolNames: read(options.toolNames) ?? 'safe',
      ...(apps && { apps }),
      ...(questionSeconds !== undefined && { questionSeconds }),
      environment: { ...environment, ...typedVariables(server, values, environment) },
    },
    logLevel: read(options.logLevel) ?? 'info',
    host: read(options.host) ?? '127.0.0.1',
    port: read(options.port),
    allowedHosts: read(options.allowedHosts) ?? [],
    store: read(options.store),
    issuer: read(options.issuer),
    publicUrl: read(options.publicUrl),
    authorizationServer: read(options.authorizationServer) ?? false,
    audience: read(options.audience),
    audit: read(options.audit),
    metricsPort: read(options.metricsPort),
    metricsHost: read(options.metricsHost) ?? '127.0.0.1',
    drainWait: read(options.drainWait),
    check: read(options.check) ?? false,
    files: new Map(fileOptionsOf(server).flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? '']] : []))),
    idempotencyKey: read(options.idempotencyKey),
    scopes: read(options.scopes) ?? [],
    browser: read(options.noBrowser) !== true,
    json: read(options.json) ?? false,
    write: read(options.write) ?? false,
    help: read(options.help) ?? false,
    version: read(options.version) ?? false,
  }
}

interface Parsed {
  readonly values: Values
  readonly positionals: readonly string[]
  readonly forTool: readonly string[]
}

async function parse(args: readonly string[], server: Extended): Promise<Parsed> {
  const types = optionsOf(server).map(([key, { name, short, kind }]) => {
    const type: 'boolean' | 'string' = kind === options.embedded.kind ? 'boolean' : 'string'
    return [name, { type, ...(short !== undefined && { short }), key }] as const
  })
  const call = args.includes('call') ? (await import('../call/call-line.ts')).divideCall(args, types, server) : undefined
  try {
    const { values, positionals } = parseArgs({
      args: [...(call?.own ?? args)],
      options: Object.fromEntries(types),
      allowPositionals: true,
    })
    const texts = Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : '1'] as const)
    return { values: new Map(texts), positionals, forTool: call?.forTool ?? [] }
  } catch {
    return (await import('../failure.ts')).readOwner(call?.own ?? args, types, (others) => parse(others, server))
  }
}

/**
 * The value of the option, or else of its variable. An empty variable counts as unset: hosts pass on optional settings that their user left
 * empty.
 */
function readOption<Value>(
  { name, kind, variable = '', isSecret }: Option<Value>,
  values: Values,
  environment: Environment,
): Value | undefined {
  const typed = values.get(name)
  const text = typed ?? environment[variable] ?? ''
  if (typed === undefined && text === '') return undefined
  const value = kind.parse(text)
  if (value === undefined) {
    const source = typed === undefined ? variable : `--${name}`
    throw new UsageError(`${source} must be ${kind.text}${isSecret === true ? '' : `, not ${quote(text)}`}.`)
  }
  return value
}

/** Typed extension options, as variables. Throws `UsageError` for an unusable value. */
function typedVariables({ extensions = [] }: Extended, values: Values, environment: Environment): Environment {
  const own = extensions.flatMap(({ options: each = {} }) => Object.values(each))
  return Object.fromEntries(
    own.flatMap((option) => {
      readOption(option, values, environment)
      const typed = values.get(option.name)
      return typed === undefined ? [] : [[option.variable, typed]]
    }),
  )
}

/** The options on this command line that work with every command. Paths become absolute, because the printed command may run elsewhere. */
function forwardedOptions(known: Options, values: Values): string[] {
  return known.flatMap(([, { name, isGeneral, kind }]) => {
    const value = values.get(name)
    if (value === undefined || isGeneral !== true) return []
    if (kind === options.embedded.kind) return [`--${name}`]
    if (name === options.seed.name) return [`--${name}`, options.seed.kind.parse(value) ?? value]
    if (name === options.dataDirectory.name) return [`--${name}`, path.resolve(value)]
    return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value]
  })
}

async function defaultDataDirectory(): Promise<string> {
  const { default: envPaths } = await import('env-paths')
  return envPaths('mcp-toolkits', { suffix: '' }).data
}
