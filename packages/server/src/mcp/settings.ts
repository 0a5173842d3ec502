import type { Environment } from '@mcp-toolkits/core/upstream'
import type { SharedLogins } from '../account/tokens/login-store.ts'

/** Choices of the operator; read once from the command line and the environment. */
export interface Settings {
  /** Serve the embedded default even though credentials are present. */
  readonly embedded: boolean
  /** Refuse the embedded default instead of serving it if no account is configured. */
  readonly accountRequired?: boolean
  /** True if the server is one of several on a database: they need one account, because each would have a separate embedded default. */
  readonly isReplica?: boolean
  readonly dataDirectory: string
  /** True if the operator chose that directory, so that commands in errors must name it. */
  readonly dataDirectoryIsChosen?: boolean
  /** Content of a new embedded default: a name or the path of a file; `company` when absent. */
  readonly seed?: string
  /** The logins in the database of `--store`; those in the data directory when absent. */
  readonly sharedLogins?: SharedLogins
  /** The name of the login to use; `default` when absent. */
  readonly profile?: string
  /** Identifies the person whose accounts they are, if the server acts for many; absent if all calls use one account. */
  readonly owner?: string
  readonly readOnly: boolean
  /** True if each caller is a person with a token, who cannot change how the server was started. */
  readonly servesPeople?: boolean
  /** True if clients on other machines are served, whose browsers cannot open a page on this one. */
  readonly servesOtherMachines?: boolean
  /** Groups of tools to add, or `all`; none when absent. */
  readonly toolsets?: readonly string[]
  /** Only these tools, by canonical or advertised name; all of them when absent. */
  readonly tools?: readonly string[]
  readonly toolNames: 'safe' | 'canonical'
  /** Pages that some clients show instead of results; on when absent. */
  readonly apps?: 'on' | 'off'
  /** Time that a person has to answer a question, in seconds; 0 never asks. */
  readonly questionSeconds?: number
  /** With the options of extensions, each as its variable. */
  readonly environment: Environment
}
