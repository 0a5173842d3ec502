import path from 'node:path'
import { parseArgs } from 'node:util'
import { isLoopback } from '../listen.ts'

/** A mistake on the command line; `message` is a complete sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An option that only one emulator has. It may be repeated. */
export interface OwnOption {
  /** Placeholder for the value in the help: `HOST`. */
  readonly placeholder: string
  readonly description: string
  /** The mistake in a value, as a sentence; undefined if the value is valid. */
  readonly problem?: (value: string) => string | undefined
}

export type OwnOptions = Readonly<Record<string, OwnOption>>

/** The parsed command line. */
export type CommandLine = ReturnType<typeof readOptions>

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  'control-token': { type: 'string' },
  seed: { type: 'string' },
  memory: { type: 'boolean' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** A secret: its option, its title in messages, and its environment variable, which, unlike the command line, other users cannot see. */
export interface CommandSecret {
  readonly name: 'apiKey' | 'accessToken' | 'controlToken'
  readonly option: string
  readonly title: string
  readonly variable: string
}

const titles = { apiKey: 'API key', accessToken: 'access token', controlToken: 'control token' } as const

export function secretOf(command: string, name: CommandSecret['name']): CommandSecret {
  const option = titles[name].toLowerCase().replace(' ', '-')
  return { name, option, title: titles[name], variable: `${command}-${option}`.toUpperCase().replaceAll('-', '_') }
}

/** The parts of a command's definition that parsing needs. */
interface LineDefinition {
  readonly name: string
  readonly credential: Pick<CommandSecret, 'name'>
  readonly options?: OwnOptions
}

/** Parses the command line; a secret's option overrides its variable. Throws `UsageError`. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { name, credential, options: own = {} }: LineDefinition,
) {
  const secrets = [secretOf(name, credential.name), secretOf(name, 'controlToken')] as const
  const { values, positionals } = parse(args, own, secrets[0].option)
  const [extra] = positionals
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is not expected: the command takes only options.`)
  const { memory = false, json = false, help = false, version = false, seed, host = '127.0.0.1' } = values
  for (const name of ['seed', 'host', 'data-dir'] as const) if (values[name] === '') throw new UsageError(`--${name} needs a value.`)
  if (memory && values['data-dir'] !== undefined) throw new UsageError('--memory stores nothing, so it cannot be combined with --data-dir.')
  const [accepted, controlToken] = secrets.map((secret) => readSecret(values, env, secret))
  if (!isLoopback(host) && (accepted === undefined || controlToken === undefined) && !help && !version)
    throw new UsageError(missingSecrets(host, secrets))
  return {
    port: values.port === undefined ? undefined : toPort(values.port),
    host,
    /** The credential that programs send; absent if the emulator should choose it. */
    credential: accepted,
    /** The control token; a random one by default. */
    controlToken,
    seed,
    memory,
    dataDirectory: values['data-dir'] === undefined ? undefined : path.resolve(values['data-dir']),
    json,
    help,
    version,
    own: readOwn(values, own),
  }
}

function parse(args: readonly string[], own: OwnOptions, secret: string) {
  const ownTypes = Object.fromEntries(Object.keys(own).map((name) => [name, { type: 'string', multiple: true } as const]))
  const secretType = { [secret]: { type: 'string' } as const }
  try {
    return parseArgs({ args: [...args], options: { ...ownTypes, ...secretType, ...options }, allowPositionals: true })
  } catch (error) {
    throw error instanceof Error
      ? new UsageError(parsingProblem(error, args, [...Object.keys(options), secret, ...Object.keys(own)]))
      : error
  }
}

function parsingProblem(error: Error, args: readonly string[], known: readonly string[]): string {
  const code = 'code' in error ? error.code : undefined
  const names = known.map((name) => `--${name}`)
  const given = args.map((arg) => arg.split('=')[0] ?? '').filter((arg) => arg.startsWith('-') && arg !== '--')
  const unknown = given.find((arg) => ![...names, '-h', '-v'].includes(arg))
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown !== undefined)
    return `There is no option ${JSON.stringify(unknown)}. ${suggestion(unknown, names) ?? `Options: ${names.join(', ')}.`}`
  // Node's own message explains the other mistakes: an option without a value, or a flag with one.
  return (error.message.split('\n')[0] ?? error.message).replace(/\.?$/, '.')
}

/** The option most similar to what was written; undefined if none is similar. */
function suggestion(written: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, typos: countTypos(written.toLowerCase(), name) }))
    .filter(({ name, typos }) => typos <= Math.ceil((name.length - 2) / 3))
    .sort((a, b) => a.typos - b.typos)
  return nearest && `Did you mean ${nearest.name}?`
}

/** Counts letters that are wrong, missing, doubled or swapped. */
function countTypos(written: string, name: string): number {
  let [beforeLast, last]: [readonly number[], readonly number[]] = [[], Array.from({ length: name.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= written.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= name.length; column += 1) {
      const isSame = written[row - 1] === name[column - 1]
      const isSwapped = row > 1 && column > 1 && written[row - 1] === name[column - 2] && written[row - 2] === name[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[name.length] ?? 0
}

function readOwn(values: Readonly<Record<string, unknown>>, own: OwnOptions): ReadonlyMap<string, readonly string[]> {
  const read = Object.entries(own).map(([name, { problem }]) => {
    const given: unknown = values[name]
    const texts = Array.isArray(given) ? given.filter((value) => typeof value === 'string') : []
    for (const value of texts) {
      const found = value === '' ? 'it needs a value.' : problem?.(value)
      if (found !== undefined) throw new UsageError(`--${name}: ${found}`)
    }
    return [name, texts] as const
  })
  return new Map(read)
}

function toPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port must be from 0 to 65535; 0 takes any free port.`)
  return port
}

/** A secret from the command line or the environment. Programs send it in a header. */
function readSecret(
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  { option, title, variable }: CommandSecret,
): string | undefined {
  const given = values[option]
  const secret = typeof given === 'string' ? given : env[variable] === '' ? undefined : env[variable]
  if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
    throw new UsageError(
      `The ${title} of ${typeof given === 'string' ? `--${option}` : variable} must be one word of ASCII characters, because programs send it in a header.`,
    )
  return secret
}

const missingSecrets = (host: string, secrets: readonly CommandSecret[]): string => {
  const all = (text: (secret: CommandSecret) => string) => secrets.map(text).join(' and ')
  return `Other machines can reach ${host}, so ${all(({ title }) => `the ${title}`)} must be given: ${all(({ option }) => `--${option} WORD`)}, or the variables ${all(({ variable }) => variable)}, which other users cannot see in the process list.`
}
