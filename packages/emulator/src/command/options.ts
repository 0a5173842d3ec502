import path from 'node:path'
import { parseArgs } from 'node:util'
import { isLoopback } from '../listen.ts'

/** What a person has to correct on the command line; `message` is a complete sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What the command line says. */
export interface CommandLine {
  readonly port: number | undefined
  readonly host: string
  /** What programs send as the vendor's credential, and what control needs; absent where the emulator chooses. */
  readonly token: string | undefined
  readonly seed: string | undefined
  readonly memory: boolean
  readonly dataDirectory: string | undefined
  readonly json: boolean
  readonly help: boolean
  readonly version: boolean
}

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  seed: { type: 'string' },
  memory: { type: 'boolean' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

const names = Object.keys(options).map((name) => `--${name}`)

/** Reads the command line; `variable` is the environment's token, which an option overrides. Throws `UsageError`. */
export function readOptions(args: readonly string[], variable: { readonly name: string; readonly value: string | undefined }): CommandLine {
  const { values, positionals } = parse(args)
  const [extra] = positionals
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is not expected: the command takes options only.`)
  const { memory = false, json = false, help = false, version = false, seed, host = '127.0.0.1' } = values
  for (const name of ['seed', 'host', 'data-dir'] as const) if (values[name] === '') throw new UsageError(`--${name} needs a value.`)
  if (memory && values['data-dir'] !== undefined) throw new UsageError('--memory stores nothing, so --data-dir does not go with it.')
  const token = checkToken(
    values.token ?? (variable.value === '' ? undefined : variable.value),
    values.token === undefined ? variable.name : '--token',
  )
  if (!isLoopback(host) && token === undefined && !help && !version)
    throw new UsageError(
      `Other machines can reach ${host}, so a token is needed: --token TOKEN, or the variable ${variable.name}, which other users do not see in the list of processes.`,
    )
  return {
    port: values.port === undefined ? undefined : toPort(values.port),
    host,
    token,
    seed,
    memory,
    dataDirectory: values['data-dir'] === undefined ? undefined : path.resolve(values['data-dir']),
    ...{ json, help, version },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw error instanceof Error ? new UsageError(parsingProblem(error, args)) : error
  }
}

function parsingProblem(error: Error, args: readonly string[]): string {
  const code = 'code' in error ? error.code : undefined
  const unknown = args.map((arg) => arg.split('=')[0] ?? '').find((arg) => arg.startsWith('-') && arg !== '--' && !isKnown(arg))
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown !== undefined)
    return `There is no option ${unknown}. Options: ${names.join(', ')}.`
  // Node explains the rest: an option without its value, or a flag with one.
  return (error.message.split('\n')[0] ?? error.message).replace(/\.?$/, '.')
}

const isKnown = (arg: string) => names.includes(arg) || arg === '-h' || arg === '-v'

function toPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port must be from 0 to 65535; 0 takes any free port.`)
  return port
}

/** Tokens travel in a header. */
function checkToken(token: string | undefined, source: string): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`The token of ${source} must be one word of ASCII characters, because programs send it in a header.`)
  return token
}
