import { abortReason, type Timer } from '@mcp-toolkits/core/base'
import { count, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { chunkUnit } from './running-md5.ts'
import type { SessionOptions } from './drive-session.ts'
import type { Preparing } from './upload-phases.ts'

interface PatienceOptions extends Pick<SessionOptions, 'onStored'> {
  readonly scope: CallScope
  /** Time, in milliseconds, that the caller's host waits; unlimited if absent. */
  readonly patienceMs?: number | undefined
}

/** Limits how long an upload may run within a call: a host that stops waiting does not tell us, and would not read the response. */
export class Patience {
  /** Ends with the call, or before the host stops waiting. */
  readonly scope: CallScope
  /** The state from which a later call may continue, and its source. */
  #state: Pick<Preparing, 'source' | 'resumeState'> | undefined
  readonly #options: PatienceOptions
  readonly #controller = new AbortController()
  readonly #timer: Timer | undefined
  #stored = 0
  #total: number | undefined

  constructor(options: PatienceOptions) {
    const { scope, patienceMs } = options
    this.#options = options
    this.scope = { ...scope, signal: this.#controller.signal }
    if (scope.signal.aborted) this.#endWithCall()
    scope.signal.addEventListener('abort', this.#endWithCall)
    if (patienceMs === undefined) return
    this.#timer = scope.clock.timer(patienceMs, () => {
      this.#controller.abort(this.#error(Math.round(patienceMs / 1000)))
    })
  }

  readonly onStored: SessionOptions['onStored'] = (stored, total) => {
    this.#stored = stored
    this.#total = total
    return this.#options.onStored(stored, total)
  }

  follow(state: Pick<Preparing, 'source' | 'resumeState'>): void {
    this.#state = state
  }

  /** Stops the timer once the upload has ended. */
  end(): void {
    this.#timer?.cancel()
    this.#options.scope.signal.removeEventListener('abort', this.#endWithCall)
  }

  readonly #endWithCall = () => {
    this.#controller.abort(abortReason(this.#options.scope.signal))
  }

  #error(seconds: number): Unavailable {
    const stored = `${this.#stored} of ${this.#total ?? 'an unknown number of'} bytes are stored`
    const obstacle = this.#obstacle()
    if (obstacle !== undefined) {
      return new Unavailable(
        `The upload was not complete after ${count(seconds, 'second')}, about as long as hosts wait: ${stored}. ${obstacle} Give another link to the file, or make the call on the command line, which has no time limit.`,
        { retryable: false },
      )
    }
    return new Unavailable(
      `The upload is not complete after ${count(seconds, 'second')}, about as long as hosts wait: ${stored}. Repeat the identical call: it continues from there.`,
    )
  }

  /** The reason why a later call cannot get further than this one. */
  #obstacle(): string | undefined {
    if (!this.#state) return undefined
    const { source, resumeState } = this.#state
    if (source.etag === undefined)
      return "The URL's server sends neither a strong ETag nor the date of the last change, so a repeated call would start over."
    const start = Math.max(source.start, resumeState?.session?.mark?.bytes ?? 0)
    if (source.bytesRead - start >= chunkUnit) return undefined
    return "The URL's server sends too slowly: Google Drive stores an upload in parts of at least 256 KiB, so a repeated call would get no further."
  }
}
