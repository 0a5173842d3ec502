import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from '@mcp-toolkits/core/people'

const callers = new AsyncLocalStorage<Caller>()

/** Who sent the request that is being answered; undefined where all clients share one account. */
export function currentCaller(): Caller | undefined {
  return callers.getStore()
}

/** Answers a request of a caller whose token has been verified. */
export function withCaller<Result>(caller: Caller, answer: () => Result): Result {
  return callers.run(caller, answer)
}
