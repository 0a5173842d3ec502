import type { Caller } from '@mcp-toolkits/core/base'
import type { ConnectStep } from '@mcp-toolkits/core/errors'

/** The step that a person takes in a browser before a call can succeed. */
export type ConnectPurpose = ConnectStep['purpose']

export interface ConnectRequest extends ConnectStep {
  readonly caller: Caller
}

/** A page on this server for one person to open. */
export interface ConnectLink {
  /** Identifies the link to `waitFor`, but does not lead to the page. */
  readonly id: string
  /** `https://files.example.com/connect/…`, good for ten minutes. */
  readonly url: string
  /** In milliseconds since 1970. A step begun before this time can be finished after it. */
  readonly expiresAt: number
}

export type ConnectOutcome = 'done' | 'declined' | 'expired'

/** Makes links with which people connect accounts, and knows their outcomes, on any replica. */
export interface ConnectLinks {
  readonly create: (request: ConnectRequest) => Promise<ConnectLink>
  /** Waits until the person has finished; undefined if `signal` aborts first. The person's actions never make it reject. */
  readonly waitFor: (id: string, signal: AbortSignal) => Promise<ConnectOutcome | undefined>
}
