import type { Clock } from '@mcp-toolkits/core/base'
import { count } from '@mcp-toolkits/core/errors'
import type { AddedFields } from './calls.ts'

const minuteMs = 60_000

/** Tolerated difference between our clock and the vendor's, in milliseconds. */
const toleratedMs = 5 * minuteMs

/**
 * The difference between our clock and the vendor's, from the `Date` header of the latest response: a wrong clock gives events the wrong
 * time.
 */
export class ClockSkew {
  readonly #clock: Clock
  #aheadMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  observe({ headers }: { readonly headers: Headers }): void {
    const date = Date.parse(headers.get('date') ?? '')
    if (!Number.isNaN(date)) this.#aheadMs = this.#clock.now() - date
  }

  /** The notice about a wrong clock; empty if the caller gave every timestamp. */
  noticesFor(added: readonly AddedFields[]): string[] {
    if (Math.abs(this.#aheadMs) <= toleratedMs || added.every(({ timestamp }) => timestamp === undefined)) return []
    const minutes = count(Math.round(Math.abs(this.#aheadMs) / minuteMs), 'minute')
    const direction = this.#aheadMs > 0 ? 'ahead of' : 'behind'
    return [
      `This server's clock is ${minutes} ${direction} Customer.io's, so the timestamps it added are wrong. Pass a timestamp with each event until the clock is set.`,
    ]
  }
}
