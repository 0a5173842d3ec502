import type { AccountSettings } from '../account/account.ts'

/** The operator's choices, read once from the command line and the environment. */
export interface Settings extends AccountSettings {
  /** Refuse the embedded default instead of serving it if no account is configured. */
  readonly accountRequired?: boolean
  /**
   * True if the server is one of several that share a database. They need an account: each would otherwise have its own embedded default.
   */
  readonly isReplica?: boolean
  /** Content of a new embedded default: a name or a file's path; `company` if absent. */
  readonly seed?: string
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
}
