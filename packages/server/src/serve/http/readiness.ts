import { type Clock, raceAbort, withTimeout } from '@mcp-toolkits/core/base'
import { isSystemError, storageFailure, ToolError } from '@mcp-toolkits/core/errors'
import { errorFields, type Log } from '../../mcp/log.ts'
import { fixedLimits } from './admission/limits.ts'

/** The response to /readyz. */
export interface ReadinessAnswer {
  readonly status: 200 | 503
  readonly body: { readonly status: 'ready' | 'draining' | 'unavailable'; readonly reason?: string }
}

export interface ReadinessOptions {
  /** Throws while something that tool calls depend on is down. */
  readonly check?: (() => Promise<void>) | undefined
  /** Log for the reason why a check failed: the public answer does not reveal the store's location. */
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly clock: Clock
}

/** This process's readiness for a load balancer's requests. */
export class Readiness {
  readonly #check: () => Promise<void>
  readonly #log: ReadinessOptions['log']
  readonly #clock: Clock
  #latest: { readonly answer: Promise<ReadinessAnswer>; readonly startedAt: number } | undefined
  #isEnding = false
  #isReady = true

  constructor({ check = () => Promise.resolve(), log, clock }: ReadinessOptions) {
    this.#check = check
    this.#log = log
    this.#clock = clock
  }

  /** Reports this process as not ready from now on. */
  end(): void {
    this.#isEnding = true
  }

  async answer(): Promise<ReadinessAnswer> {
    if (this.#isEnding) return { status: 503, body: { status: 'draining', reason: 'The server is shutting down.' } }
    if (!this.#latest || this.#clock.monotonic() - this.#latest.startedAt >= fixedLimits.readyFreshMs)
      this.#latest = { answer: this.#ask(), startedAt: this.#clock.monotonic() }
    return this.#latest.answer
  }

  async #ask(): Promise<ReadinessAnswer> {
    const timeout = () => new DOMException('The store did not answer in time.', 'TimeoutError')
    try {
      await withTimeout({ ms: fixedLimits.readyCheckMs, clock: this.#clock, reason: timeout }, ({ signal }) =>
        raceAbort(this.#check(), signal),
      )
      if (!this.#isReady) this.#log.info('ready again')
      this.#isReady = true
      return { status: 200, body: { status: 'ready' } }
    } catch (error) {
      if (this.#isReady) this.#log.warn('not ready', reasonFor(error))
      this.#isReady = false
      if (error instanceof ToolError) return { status: 503, body: { status: 'unavailable', reason: error.message } }
      const problem = isSystemError(error) && 'problem' in error ? String(error.problem) : 'no response in time'
      return { status: 503, body: { status: 'unavailable', reason: `The store cannot be used: ${problem}.` } }
    }
  }
}

/** The reason, for the log. Only a defect has a stack. */
function reasonFor(error: unknown): Readonly<Record<string, unknown>> {
  const known = error instanceof ToolError ? error : storageFailure(error)
  if (known) return { problem: known.message }
  return error instanceof DOMException && error.name === 'TimeoutError' ? { problem: error.message } : errorFields(error)
}
