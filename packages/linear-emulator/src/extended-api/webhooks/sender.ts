import { isDeliverable, undeliverable } from '@mcp-toolkits/emulator/webhooks'
import { type Store, type StoreClock, StoreError } from '@mcp-toolkits/store'
import { type Attempt, type DueDelivery, dueDeliveries, nextDue, recordAttempt, requestOf } from './deliveries.ts'

export interface SenderOptions {
  readonly store: Store
  readonly now: () => number
  readonly sleep: StoreClock['sleep']
  /** Hosts to which deliveries may go besides this machine. */
  readonly webhooksTo: readonly string[]
}

/** Sends deliveries when they are due. */
export interface Sender {
  /** Sends what is due, and the rest later. */
  readonly wake: () => void
  readonly close: () => void
}

const timeoutMs = 5_000

/** How long the sender waits at most before it looks at the clock again, which a test may have set. */
const pollMs = 1_000

/** Opens a sender. */
export function openSender({ store, now, sleep, webhooksTo }: SenderOptions): Sender {
  const closing = new AbortController()
  const sending = new Set<string>()
  let isWaiting = false
  const isOpen = () => !closing.signal.aborted

  const attempt = async (delivery: DueDelivery) => {
    const outcome = await send(delivery, { now: now(), sleep, webhooksTo, closing: closing.signal })
    if (!isOpen()) return
    await store.write(() => {
      recordAttempt(store, delivery, { attempt: outcome, now: now() })
    })
  }
  const scan = async () => {
    const due = await store.read(() => dueDeliveries(store, { at: new Date(now()).toISOString(), sending }))
    for (const delivery of due.filter(({ id }) => !sending.has(id))) {
      sending.add(delivery.id)
      // What cannot be recorded stays due, and would be sent again at once.
      const recorded = attempt(delivery).catch(async (error: unknown) => {
        if (isOpen()) await sleep(pollMs)
        throw error
      })
      void quietly(recorded.finally(() => sending.delete(delivery.id)).finally(wait))
    }
  }
  const wait = async () => {
    if (isWaiting || !isOpen()) return
    isWaiting = true
    try {
      for (let next = nextDue(store, sending); next !== undefined && isOpen(); next = nextDue(store, sending)) {
        await sleep(Math.min(pollMs, Math.max(1, Date.parse(next) - now())))
        if (isOpen()) await scan()
      }
    } finally {
      isWaiting = false
    }
  }
  return {
    wake() {
      if (isOpen()) void quietly(scan().then(wait))
    },
    close() {
      closing.abort()
    },
  }
}

/** Ignores a database that is closed or locked: what is pending stays pending. */
const quietly = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof StoreError) && !(error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE')) throw error
  })

interface SendOptions extends Pick<SenderOptions, 'sleep' | 'webhooksTo'> {
  readonly now: number
  readonly closing: AbortSignal
}

async function send(delivery: DueDelivery, { now, sleep, webhooksTo, closing }: SendOptions): Promise<Attempt> {
  if (!isDeliverable(delivery.url, webhooksTo)) return { httpStatus: null, error: undeliverable(delivery.url), isFinal: true }
  const timeout = new AbortController()
  const post = fetch(delivery.url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([timeout.signal, closing]),
    ...requestOf(delivery, now),
  })
  const answered = post.then(async (response): Promise<Attempt> => {
    await response.body?.cancel()
    return {
      httpStatus: response.status,
      error: response.status === 200 ? null : `The receiver answered ${response.status}.`,
      isFinal: false,
    }
  })
  const late = sleep(timeoutMs).then((): Attempt => {
    timeout.abort()
    return { httpStatus: null, error: 'The receiver did not answer within 5 seconds.', isFinal: false }
  })
  return Promise.race([
    answered.catch((): Attempt => ({ httpStatus: null, error: 'The receiver could not be reached.', isFinal: false })),
    late,
  ])
}
