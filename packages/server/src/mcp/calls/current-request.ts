import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from '@mcp-toolkits/core/base'

/** Fate of the answer to a request: it is written to the client, or lost. */
export class Delivery {
  /** Number of calls in the request so far. */
  calls = 0
  readonly #listeners: ((wasWritten: boolean) => void)[] = []
  #wasWritten: boolean | undefined

  /** Calls back once it is known, or at once. */
  onEnd(listener: (wasWritten: boolean) => void): void {
    if (this.#wasWritten === undefined) this.#listeners.push(listener)
    else listener(this.#wasWritten)
  }

  /** Only the first end counts. */
  end(wasWritten: boolean): void {
    if (this.#wasWritten !== undefined) return
    this.#wasWritten = wasWritten
    for (const listener of this.#listeners.splice(0)) listener(wasWritten)
  }
}

const deliveries = new AsyncLocalStorage<Delivery>()

/** Runs work in an async context. */
export type RunInContext = <Result>(work: () => Result) => Result

/** Keeps the current async context for work of the same request. */
export function currentContext(): RunInContext {
  return AsyncLocalStorage.snapshot()
}

/** The delivery of the request that is being answered; undefined outside of one. */
export function currentDelivery(): Delivery | undefined {
  return deliveries.getStore()
}

/** Answers a request whose answer `delivery` follows. */
export function withDelivery<Result>(delivery: Delivery, answer: () => Result): Result {
  return deliveries.run(delivery, answer)
}

/** Does the work of a request whose answer will not be written. */
export function withoutDelivery<Result>(work: () => Result): Result {
  const delivery = new Delivery()
  delivery.end(false)
  return withDelivery(delivery, work)
}

/** Counts a call of the request that is being answered, so that the request is not taken for a refused one. */
export function countCall(): void {
  const delivery = deliveries.getStore()
  if (delivery) delivery.calls += 1
}

const callers = new AsyncLocalStorage<Caller>()

/** Sender of the request that is being answered; undefined if all clients share one account. */
export function currentCaller(): Caller | undefined {
  return callers.getStore()
}

/** Answers a request of a caller whose token has been verified. */
export function withCaller<Result>(caller: Caller, answer: () => Result): Result {
  return callers.run(caller, answer)
}
