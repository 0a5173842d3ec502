import type { Environment } from '@mcp-toolkits/core/upstream'
import type { SharedLogins } from '../account/tokens/login-store.ts'

/** The operator's choices, read once from the command line and the environment. */
export interface Settings {
  /** Serve the embedded default even though credentials are present. */
  readonly embedded: boolean
  /** Refuse the embedded default instead of serving it if no account is configured. */
  readonly accountRequired?: boolean
  /** True if the server is one of several sharing a database, which need an account: each would otherwise have its own embedded default. */
  readonly isReplica?: boolean
  readonly dataDirectory: string
  /** True if the operator chose the data directory, so commands in errors must name it. */
  readonly dataDirectoryIsChosen?: boolean
  /** Content of a new embedded default: a name or a file's path; `company` if absent. */
  readonly seed?: string
  /** The logins in the `--store` database; if absent, the data directory's. */
  readonly sharedLogins?: SharedLogins
  /** Name of the login to use; `default` if absent. */
  readonly profile?: string
  /** Identifies the accounts' owner, on a multi-user server; absent if all calls use one account. */
  readonly owner?: string
  readonly readOnly: boolean
  /** True if each caller is a person with a token, who cannot change the server's options. */
  readonly servesPeople?: boolean
  /** True if clients on other machines are served, whose browsers cannot open a page on this machine. */
  readonly servesOtherMachines?: boolean
  /** Toolsets to add, or `all`; none if absent. */
  readonly toolsets?: readonly string[]
  /** The only tools to show, by canonical or advertised name; all if absent. */
  readonly tools?: readonly string[]
  readonly toolNames: 'safe' | 'canonical'
  /** Pages that some clients show instead of results; on if absent. */
  readonly apps?: 'on' | 'off'
  /** Time, in seconds, that a person has to answer a question; 0 never asks. */
  readonly questionSeconds?: number
  /** The environment, plus extensions' options, each as its variable. */
  readonly environment: Environment
}
