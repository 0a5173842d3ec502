import path from 'node:path'
import { parseArgs } from 'node:util'
import { quote } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import type { AppCommand } from '../../mcp/definition.ts'
import { options, type Option } from './option-table.ts'
import { UsageError, type CommandLine } from '../command.ts'
import { commandsWith } from './command-options.ts'

/** Options as typed; a flag is `1`. */
type Values = ReadonlyMap<string, string>

const allOptions: readonly (readonly [key: string, option: Option])[] = Object.entries(options)

/** Reads the command line, which overrides the environment; `own` are the commands that only this server has. Throws `UsageError`. */
export async function readCommandLine(
  args: readonly string[],
  environment: Environment,
  own: Readonly<Record<string, AppCommand>> = {},
): Promise<CommandLine> {
  const { values, positionals, forTool } = await parse(args)
  const [command = 'stdio', ...operands] = positionals
  for (const [key, { name }] of allOptions) {
    const commands = values.has(name) ? commandsWith(key, own) : undefined
    if (commands && !commands.includes(command)) throw new UsageError(`--${name} is only for: ${commands.join(', ')}.`)
  }
  const read = <Value>(option: Option<Value>) => readOption(option, values, environment)
  const [embedded, dataDirectory] = [read(options.embedded), read(options.dataDirectory)]
  const [profile, tools, seed] = [read(options.profile), read(options.tools), read(options.seed)]
  const [allowPrivateUrls, maxUploadBytes] = [read(options.allowPrivateUrls), read(options.maxUploadBytes)]
  const questionSeconds = read(options.questionSeconds)
  return {
    command,
    operands,
    forTool,
    forwarded: forwardedOptions(values),
    settings: {
      embedded: embedded ?? false,
      accountRequired: embedded === false,
      dataDirectory: dataDirectory ?? (await defaultDataDirectory()),
      dataDirectoryIsChosen: dataDirectory !== undefined,
      ...(seed !== undefined && { seed }),
      ...(profile !== undefined && { profile }),
      readOnly: read(options.readOnly) ?? false,
      ...(tools && { tools }),
      toolNames: read(options.toolNames) ?? 'safe',
      ...(questionSeconds !== undefined && { questionSeconds }),
      ...(allowPrivateUrls && { allowPrivateUrls }),
      ...(maxUploadBytes !== undefined && { maxUploadBytes }),
      environment,
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
    output: read(options.output),
    input: read(options.input),
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

async function parse(args: readonly string[]): Promise<Parsed> {
  const types = allOptions.map(([key, { name, short, kind }]) => {
    const type: 'boolean' | 'string' = kind === options.embedded.kind ? 'boolean' : 'string'
    return [name, { type, ...(short !== undefined && { short }), key }] as const
  })
  const call = args.includes('call') ? (await import('../call/call-line.ts')).divideCall(args, types) : undefined
  try {
    const { values, positionals } = parseArgs({
      args: [...(call?.own ?? args)],
      options: Object.fromEntries(types),
      allowPositionals: true,
    })
    const texts = Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : '1'] as const)
    return { values: new Map(texts), positionals, forTool: call?.forTool ?? [] }
  } catch {
    return (await import('../failure.ts')).readOwner(call?.own ?? args, types, parse)
  }
}

/** The option, or else its variable. An empty variable counts as unset: hosts pass on optional settings that the user left empty. */
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

/** The options on this command line that work with every command. Paths become absolute, because the other command may run anywhere. */
function forwardedOptions(values: Values): string[] {
  return allOptions.flatMap(([, { name, isGeneral, kind }]) => {
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
