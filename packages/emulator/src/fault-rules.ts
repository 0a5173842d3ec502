/** The statuses that a redirect can have. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/** An answer made up by a fault. */
export interface CannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when it is text, otherwise as JSON. */
  readonly body?: unknown
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retry_after?: number | string
}

/** What can go wrong with one request. */
export type FaultAction =
  /** Answered instead of being handled. */
  | ({ readonly kind: 'status' } & CannedAnswer)
  /** Handled, then answered with something else. */
  | ({ readonly kind: 'status_after_commit' } & CannedAnswer)
  /** The connection is dropped before anything happens. */
  | { readonly kind: 'drop_before' }
  /** Handled, then the connection is dropped: the client cannot know. */
  | { readonly kind: 'drop_after' }
  /** Handled at once, answered late. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Neither handled nor answered. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'redirect'; readonly status: RedirectStatus; readonly location: string }

/** Kinds that need no details: `status` is 503 and `slow` 50 ms. */
export type PlainKind = Exclude<FaultAction['kind'], 'redirect'>

/** Faults drawn at random, yet the same ones in every run with the same seed. */
export interface ChaosAction {
  readonly kind: 'chaos'
  readonly seed: number | string
  /** Share of the requests that fail, from 0 to 1. */
  readonly rate: number
  readonly kinds: readonly (PlainKind | FaultAction)[]
  /** How often one operation may fail in succession; 3 when absent, so that a client that tries four times gets through. */
  readonly max_in_a_row?: number
}

/** Which requests go wrong, how often, and how. */
export interface FaultRule {
  /** All requests when absent. `path` is exact, or a prefix when it ends in `*`. */
  readonly match?: { readonly method?: string; readonly path?: string }
  /** How many matching requests the rule is for: 1 when absent, for chaos all of them. */
  readonly times?: number
  readonly action: FaultAction | ChaosAction
}

const plain: Readonly<Record<PlainKind, FaultAction>> = {
  status: { kind: 'status', status: 503 },
  status_after_commit: { kind: 'status_after_commit', status: 503 },
  drop_before: { kind: 'drop_before' },
  drop_after: { kind: 'drop_after' },
  slow: { kind: 'slow', milliseconds: 50 },
  hang: { kind: 'hang' },
}

/** The action that a kind stands for. */
export const actionOf = (kind: PlainKind | FaultAction): FaultAction => (typeof kind === 'string' ? plain[kind] : kind)
