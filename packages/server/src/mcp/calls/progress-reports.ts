import type { ServerContext } from '@modelcontextprotocol/server'
import { filterText } from '../answers/exit-filter.ts'
import type { CallOptions } from '../call.ts'

interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

interface ProgressReports {
  readonly add: NonNullable<CallOptions['progress']>
  readonly flush: () => void
}

/** Reports a call's progress to the client that sent a progress token. */
export function progressReports({ notify }: ServerContext['mcpReq'], progressToken: string | number): ProgressReports {
  const reports = new ReportQueue((step: ProgressStep) => notify({ method: 'notifications/progress', params: { progressToken, ...step } }))
  return {
    add(progress, total, message) {
      reports.add({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message: filterText(message) }) })
    },
    flush() {
      reports.flush()
    },
  }
}

/** Maximum number of progress reports of a call that may wait for a slow client. */
const maxWaitingReports = 8

/** Sends reports one at a time. Only the newest waiting reports are kept. */
class ReportQueue<Report> {
  readonly #send: (report: Report) => Promise<void>
  #waiting: readonly Report[] = []
  #isSending = false

  constructor(send: (report: Report) => Promise<void>) {
    this.#send = send
  }

  add(report: Report): void {
    this.#waiting = [...this.#waiting, report].slice(-maxWaitingReports)
    // A failed report is dropped: the answer matters more.
    if (!this.#isSending) this.#sendWaiting().catch(() => undefined)
  }

  /** Sends all waiting reports without waiting for the client, because no report may follow the answer. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const report of waiting) this.#send(report).catch(() => undefined)
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true
    for (let [report] = this.#waiting; report !== undefined; [report] = this.#waiting) {
      this.#waiting = this.#waiting.slice(1)
      await this.#send(report)
    }
    this.#isSending = false
  }
}
