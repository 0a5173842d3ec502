import { type CommandSecret, type OwnOptions, secretOf } from './options.ts'
import type { Emulator } from '../emulator.ts'

/** One emulator's command. */
export interface CommandDefinition {
  /** The command: `linear-emulator`. */
  readonly name: string
  readonly version: string
  /** The emulated API: `Linear`. */
  readonly service: string
  readonly port: number
  /** The default data directory, separate from the servers'. */
  readonly dataDirectory: string
  /** The credential that programs send; `value` is accepted by default. */
  readonly credential: { readonly name: Exclude<CommandSecret['name'], 'controlToken'>; readonly value: string }
  /** Options that only this emulator has. */
  readonly options?: OwnOptions
  readonly open: (options: OpenCommandOptions) => Promise<CommandEmulator>
  /** A sentence that tells people how a program reaches the API. */
  readonly hint: (url: string, credential: string) => string
}

export interface OpenCommandOptions {
  /** Absent for an in-memory emulator. */
  readonly file?: string
  /** The name of a seed, or the path of a file. */
  readonly seed?: string
  /** The credential that programs send; absent if the emulator should choose it. */
  readonly credential?: string
  /** The values given for each option that only this emulator has; an empty list if the option was not given. */
  readonly own: ReadonlyMap<string, readonly string[]>
}

export type CommandEmulator = Pick<Emulator, 'listen' | 'seedNotice' | 'close'>

const column = 24

/** The text of --help. */
export function helpText({ name, service, port, credential, dataDirectory, options = {} }: CommandDefinition): string {
  const [own, control] = [secretOf(name, credential.name), secretOf(name, 'controlToken')]
  const lines = [
    ['--port PORT', `the port to listen on; ${port} by default, and 0 takes any free one`],
    ['--seed SEED', 'what a new database contains: company (the default), edge-cases, empty, or a YAML or JSON file'],
    ['--memory', 'store nothing on disk'],
    ['--data-dir DIR', `where to store data; ${dataDirectory} by default`],
    [`--${own.option} WORD`, `the ${own.title} that programs send (${own.variable}); "${credential.value}" by default`],
    [
      `--${control.option} WORD`,
      `the token for requests to set faults, the clock or snapshots, or to reset (${control.variable}); random by default`,
    ],
    ['--host HOST', 'the address to listen on; 127.0.0.1 by default. If other machines can reach it, set both secrets; pages are then off'],
    ...Object.entries(options).map(([option, { placeholder, description }]) => [`--${option} ${placeholder}`, description] as const),
    ['--json', 'print one line of JSON with the addresses and secrets'],
    ['--help, --version', 'print this help, or the version'],
  ] as const
  return [
    `${name}: ${service} on this machine, for programs to test against. Nothing is forwarded to the vendor.`,
    '',
    `Usage: ${name} [options]`,
    '',
    ...lines.map(([usage, description]) => `  ${usage.padEnd(column)}${description}`),
  ].join('\n')
}
