import type { Caller, Clock } from '@mcp-toolkits/core/base'
import type { Spelling } from '@mcp-toolkits/core/errors'
import { type CommandLine, type Console, UsageError } from './cli/command.ts'
import type { Address } from './cli/options/http-options.ts'
import type { CallAudit } from './mcp/calls/audited-call.ts'
import type { Toolbox } from './mcp/calls/toolbox.ts'
import type { ConnectOptions, Loaders, ServerDefinition, Settings } from './mcp/definition.ts'
import type { Log } from './mcp/log.ts'
import type { AccountOptions } from './serve/library/options.ts'
import type { SharedStore } from './storage/shared-store.ts'

/**
 * The part of a server for serving many people or running on many machines: packages/team. Loaded only for `--store`, `--issuer`, `--audit`
 * and `accountOf`.
 */
export interface Team {
  /** `people list | forget | connect` */
  readonly people: TeamCommand
  /** `vault check | rotate | renew` */
  readonly vault: TeamCommand
  /** `status` for a server with one account per person. */
  readonly status: TeamCommand
  /**
   * Runs a command with the `--store` database, and with the settings that make a server use it. Throws `UsageError` for options that do
   * not apply, and `Unavailable` for an unusable database.
   */
  readonly withStore: <Result>(
    definition: Pick<ServerDefinition<never>, 'name' | 'account'>,
    line: Pick<CommandLine, 'store' | 'settings'>,
    work: (settings: Settings, shared: SharedStore) => Promise<Result>,
  ) => Promise<Result>
  /** Reads the options for `--issuer`; undefined without it. Throws `UsageError` for options that do not go together. */
  readonly readPeople: <Context>(definition: ServerDefinition<Context>, line: CommandLine) => Promise<PeopleServer | undefined>
  /** Opens the audit log for `--audit`. Throws `Unavailable` for an unwritable file. */
  readonly openAudit: (target: AuditTarget, console: Pick<Console, 'errors'>) => Promise<CallAudit>
  /** Throws `Unavailable` if the audit log for `--audit` cannot be written. Creates no file. */
  readonly checkAudit: (target: string) => Promise<void>
  /** Describes the `--store` database and its state, without changing it. Throws like `withStore`. */
  readonly inspectStore: <Context>(definition: ServerDefinition<Context>, line: CommandLine) => Promise<HostingFindings>
  /** Opens a server's tools in a program that maps each person to an account. */
  readonly openProgramPeople: <Context>(
    definition: ServerDefinition<Context>,
    settings: Settings,
    options: ProgramPeopleOptions,
  ) => Promise<Toolbox>
  /** The caller for a person that the program names. */
  readonly programCaller: (person: string) => Promise<Caller>
}

/** Runs one command; resolves with the exit code. */
export type TeamCommand = <Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console) => Promise<number>

/** A server that acts as the person each token identifies. */
export interface PeopleServer {
  /** The origin at which people and clients reach the server. */
  readonly publicUrl: string
  /** Serves until a signal arrives; resolves with the exit code. Throws `UsageError`, and `Unavailable` for an unusable store. */
  readonly serve: (address: Address, console: Console) => Promise<number>
  /** Describes what `serve` would start, without changing anything. Throws `Unavailable` for an unusable identity provider. */
  readonly inspect: () => Promise<Omit<HostingFindings, 'settings'>>
  /** Describes where calls go and with which credential. Throws for unusable settings. */
  readonly upstream: () => string
  /** Issuer of the accepted tokens, as text. */
  readonly token: string
}

/** Facts about a server's hosting, for `http --check` and `doctor`. */
export interface HostingFindings {
  /** The settings as the server would have them. */
  readonly settings: Settings
  readonly lines: readonly string[]
  readonly warnings: readonly string[]
}

export interface AuditTarget {
  /** The audit log's file: a path, or `-` for standard error. */
  readonly target: string
  readonly shared: SharedStore | undefined
  /** The service account behind all calls. */
  readonly service?: string | undefined
  readonly log: Log
}

export interface ProgramPeopleOptions extends Pick<ConnectOptions, 'fetch'> {
  /** The program's function; its result is checked. */
  readonly accountOf: (person: string) => unknown
  readonly account: AccountOptions
  readonly spelling: Omit<Spelling, 'tool'>
  readonly log: Log
  readonly clock?: Clock | undefined
}

interface TeamLoader {
  /** Absent for a server for one person on one machine. */
  readonly team?: () => Promise<Team>
}

/** A server and, unless it serves only one person, the loader of its `Team`. */
export interface HostedServer<Context> extends ServerDefinition<Context> {
  readonly load: Loaders<Context> & TeamLoader
}

/** Fixes the context type of a definition. */
export function defineServer<Context>(definition: HostedServer<Context>): HostedServer<Context> {
  return definition
}

/** Loads a server's `Team`. Throws `UsageError` for a server that has none. */
export async function teamOf({ title, load }: { readonly title: string; readonly load: TeamLoader }): Promise<Team> {
  if (!load.team) throw new UsageError(`${title} serves only one person.`)
  return load.team()
}
