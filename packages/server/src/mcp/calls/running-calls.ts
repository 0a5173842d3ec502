import { isDeepStrictEqual } from 'node:util'
import { abortReason, type Caller, type Clock, withoutNulls } from '@mcp-toolkits/core/base'
import { Message, ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { withNotices, type Answer } from '../answers/answer.ts'
import { Delivery } from './current-request.ts'
import type { ListedTool } from '../definition.ts'

/** Age, in milliseconds, from which an identical call joins a running one. Calls closer together are taken to be separate. */
const joinAfterMs = 5_000

const joinedNotice = 'An identical call was already running; this is its result.'

/** A call's identity, shared by equal calls. */
export interface IdentifiedCall {
  readonly tool: Pick<ListedTool, 'name' | 'effect'>
  readonly args: unknown
  readonly caller: Caller | undefined
  /** True if an idempotency key identifies the call, so that the records show its repeats. */
  readonly isKeyed: boolean
}

/** A caller waiting for a run's answer. */
export interface Waiter {
  readonly signal: AbortSignal
  readonly progress?: (done: number, total?: number, message?: string) => void
  /** Tracks the answer's delivery; absent if the call's return delivers the answer. */
  readonly delivery?: Delivery | undefined
}

/** The running calls. A host that silently gave up and retries joins its earlier call if that is still running. */
export class RunningCalls {
  readonly #clock: Clock
  readonly #runs = new Set<Run>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Finds an identical call that is old enough to join. */
  find(call: IdentifiedCall): Run | undefined {
    const startedBy = this.#clock.monotonic() - joinAfterMs
    return [...this.#runs].find((run) => run.started <= startedBy && !run.isLeft && isIdentical(run.call, call))
  }

  /** Adds a call's run, which must begin now. */
  add(call: IdentifiedCall): Run {
    const run = new Run(call, this.#clock.monotonic(), () => {
      this.#runs.delete(run)
      // A read that began before a write ended may not show the write.
      if (call.tool.effect !== 'read') for (const each of this.#runs) if (each.call.tool.effect === 'read') this.#runs.delete(each)
    })
    this.#runs.add(run)
    return run
  }
}

/** One run of a tool, which continues as long as a caller waits for it. */
export class Run {
  readonly call: IdentifiedCall
  readonly started: number
  readonly #onEnd: () => void
  readonly #waiters = new Set<Waiter>()
  readonly #controller = new AbortController()
  readonly #delivery = new Delivery()
  #answer: Promise<Answer> | undefined

  constructor(call: IdentifiedCall, started: number, onEnd: () => void) {
    this.call = call
    this.started = started
    this.#onEnd = onEnd
  }

  /** A single waiter that stands for all waiting callers. */
  get waiter(): Waiter {
    const progress: Waiter['progress'] = (...step) => {
      for (const waiter of this.#waiters) waiter.progress?.(...step)
    }
    return { signal: this.#controller.signal, progress, delivery: this.#delivery }
  }

  begin(answer: Promise<Answer>): void {
    this.#answer = answer
    answer.then(this.#onEnd, this.#onEnd)
    answer.then(this.#follow, () => undefined)
  }

  /** True if every caller has given up. */
  get isLeft(): boolean {
    return this.#controller.signal.aborted
  }

  /** Waits for the answer. The last caller to give up ends the run and waits until it has ended. */
  async wait(waiter: Waiter): Promise<Answer> {
    const { signal } = waiter
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => {
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.#controller.abort(abortReason(signal))
      else reject(abortReason(signal))
    }
    this.#waiters.add(waiter)
    signal.addEventListener('abort', leave)
    try {
      return await Promise.race([this.#answer ?? left, left])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** The answer counts as delivered once one of the waiting callers has received it. */
  readonly #follow = (): void => {
    let open = this.#waiters.size
    if (open === 0) this.#delivery.end(false)
    for (const { delivery } of this.#waiters) {
      const end = (wasWritten: boolean) => {
        open -= 1
        if (wasWritten || open === 0) this.#delivery.end(wasWritten)
      }
      if (delivery) delivery.onEnd(end)
      else end(true)
    }
  }
}

function isIdentical(a: IdentifiedCall, b: IdentifiedCall): boolean {
  if (a.tool.name !== b.tool.name || a.isKeyed || b.isKeyed) return false
  return isDeepStrictEqual([a.caller, withoutNulls(a.args)], [b.caller, withoutNulls(b.args)])
}

/** The answer, or the error, of a run started by another call. */
export async function withJoinedNotice(joining: Promise<Answer>): Promise<Answer> {
  const answer = await joining.catch((error: unknown) => {
    throw error instanceof ToolError ? withDetails(error, Message.of(error.text, joinedNotice), error.details) : error
  })
  if (!answer.ok) return answer
  const data = withNotices(answer.data, [joinedNotice])
  return { ...answer, data, json: JSON.stringify(data) }
}
