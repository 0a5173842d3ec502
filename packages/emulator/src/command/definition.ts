import type { Emulator } from '../emulator.ts'
import type { OwnOptions } from './options.ts'

/** The command of one emulator. */
export interface CommandDefinition {
  /** The command: `linear-emulator`. */
  readonly name: string
  readonly version: string
  /** The emulated API: `Linear`. */
  readonly service: string
  /** The port when none is chosen. */
  readonly port: number
  /** The directory of its data when none is chosen. No server uses it. */
  readonly dataDirectory: string
  /** The name of the database in it. */
  readonly file: string
  /** What programs send, and what the emulator accepts when no token is chosen. */
  readonly credential: { readonly name: string; readonly value: string }
  /** The variable of the token. */
  readonly variable: string
  /** Options that only this emulator has. */
  readonly options?: OwnOptions
  readonly open: (options: OpenCommandOptions) => Promise<CommandEmulator>
  /** How a program reaches the API, for people. */
  readonly hint: (url: string, credential: string) => string
}

export interface OpenCommandOptions {
  /** Absent for one in memory. */
  readonly file?: string
  /** The name of a seed or the path of a file. */
  readonly seed?: string
  readonly token?: string
  /** The values of each option that only this emulator has; none where it was not given. */
  readonly own: ReadonlyMap<string, readonly string[]>
}

export type CommandEmulator = Pick<Emulator, 'listen' | 'seedNotice' | 'close'>
