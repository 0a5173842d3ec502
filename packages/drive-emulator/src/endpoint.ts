import type { Store } from '@mcp-toolkits/store'
import type { Caller, Scope } from './access.ts'
import type { Session } from './session.ts'

/** A method of the API. */
export interface Endpoint {
  /** As Google's documentation calls it: `files.list`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly path: string
  readonly scopes: readonly Scope[]
  readonly units: (session: Session) => number
  /** Answers with JSON, with a response of its own, or with nothing. */
  readonly answer: (session: Session, request: Asked) => unknown
  /** Who calls, where the address itself says so and no token is needed. */
  readonly caller?: (store: Store, at: { readonly url: URL; readonly now: number }) => Caller
}

/** A request as an endpoint sees it. */
export interface Asked {
  /** The named parts of the path. */
  readonly part: (name: string) => string
  /** The body as text. */
  readonly body: () => string
  readonly bytes: Uint8Array
  readonly headers: Headers
  readonly url: URL
  readonly method: string
}

export const costing = (cost: number) => () => cost
