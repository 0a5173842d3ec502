import { createHmac, randomUUID } from 'node:crypto'
import { isDeliverable, type JsonObject, stringAt, undeliverable } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, type StoreClock, StoreError, text } from '@mcp-toolkits/sqlite'
import { recordWriter } from '../store/record-entity.ts'

/** A delivery to attempt; `event` is the body without the parts that depend on the attempt. */
const dueShape = { id: text, webhookId: text, event: text, resource: text, attempts: integer, url: text, secret: text }

type DueDelivery = RowOf<typeof dueShape>

/** Stores a delivery, which is due at once. */
export function addDelivery(
  store: Store,
  { webhookId, event, at }: { readonly webhookId: string; readonly event: JsonObject; readonly at: string },
): void {
  store.run(
    `insert into emulator_webhook_deliveries (at, delivery, webhook, event, resource, action, attempts, status, dueAt)
     values (:at, :delivery, :webhookId, :event, :resource, :action, 0, 'pending', :at)`,
    {
      ...{ at, webhookId, delivery: randomUUID(), event: JSON.stringify(event) },
      ...{ resource: stringAt(event, 'type'), action: stringAt(event, 'action') },
    },
  )
}

/** Pending deliveries to enabled webhooks, except those being sent. */
const pending = `from emulator_webhook_deliveries d join records w on w.id = d.webhook and w.type = 'Webhook' and w.data ->> '$.enabled' = 1
  where d.status = 'pending' and d.delivery not in (select value from json_each(:sending))`

/** Pending deliveries due at a given time, oldest first; `sending` has the ids of those being sent. */
const dueDeliveries = (store: Store, { at, sending }: { readonly at: string; readonly sending: ReadonlySet<string> }): DueDelivery[] =>
  store.rows(
    dueShape,
    `select d.delivery as id, w.id as webhookId, d.event, d.resource, d.attempts, w.data ->> '$.url' as url, w.data ->> '$.secret' as secret
     ${pending} and d.dueAt <= :at order by d.id`,
    { at, sending: JSON.stringify([...sending]) },
  )

/** Time at which the next pending delivery is due; undefined if there is none. */
const nextDue = (store: Store, sending: ReadonlySet<string>): string | undefined =>
  store.rows({ dueAt: nullable(text) }, `select min(d.dueAt) as dueAt ${pending}`, { sending: JSON.stringify([...sending]) })[0]?.dueAt ??
  undefined

/** Deletes pending deliveries to webhooks that do not exist: the data may have been replaced. */
export function dropStrayDeliveries(store: Store): void {
  store.writeNow(() => {
    store.run(
      "delete from emulator_webhook_deliveries where status = 'pending' and webhook not in (select id from records where type = 'Webhook')",
    )
  })
}

/** Maximum number of finished deliveries to keep, delivered or failed. */
const maxFinished = 1_000

/** Deletes the oldest finished deliveries. */
function prune(store: Store): void {
  const finished = "from emulator_webhook_deliveries where status <> 'pending'"
  store.run(`delete ${finished} and id <= (select id ${finished} order by id desc limit 1 offset :max)`, { max: maxFinished })
}

/** Delays before retries, in milliseconds: a minute, an hour and six hours: https://linear.app/developers/webhooks */
const backoff = [60_000, 3_600_000, 21_600_000]

/** Outcome of an attempt: the response's status, if one came, and the error unless the delivery succeeded. */
interface Attempt {
  readonly httpStatus: number | null
  readonly error: string | null
  /** True if a retry is pointless. */
  readonly isFinal: boolean
}

/** Records an attempt. After the last failure the webhook is disabled, which also stops its other deliveries. */
export function recordAttempt(
  store: Store,
  delivery: Pick<DueDelivery, 'id' | 'webhookId' | 'attempts'>,
  { attempt, now }: { readonly attempt: Attempt; readonly now: number },
): void {
  const { httpStatus, error, isFinal } = attempt
  const wait = backoff[delivery.attempts]
  const isDelivered = httpStatus === 200
  const isRetried = !isDelivered && !isFinal && wait !== undefined
  const updatedAt = new Date(now).toISOString()
  const status = isDelivered ? 'delivered' : isRetried ? 'pending' : 'failed'
  store.run(
    `update emulator_webhook_deliveries set attempts = :attempts, httpStatus = :httpStatus, error = :error, status = :status, dueAt = :dueAt
     where delivery = :id`,
    {
      id: delivery.id,
      attempts: delivery.attempts + 1,
      httpStatus,
      error,
      status,
      dueAt: isRetried ? new Date(now + wait).toISOString() : null,
    },
  )
  if (status !== 'pending') prune(store)
  if (status === 'failed' && !isFinal) recordWriter('Webhook').update(store, delivery.webhookId, { updatedAt, enabled: 0 })
}

/** The request for an attempt. Its body contains the time of sending. */
function requestOf({ id, webhookId, event, resource, secret }: DueDelivery, now: number) {
  const body = `${event.slice(0, -1)},"webhookTimestamp":${now},"webhookId":${JSON.stringify(webhookId)}}`
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Linear-Webhook',
      'linear-delivery': id,
      'linear-event': resource,
      'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  }
}

interface SenderOptions {
  readonly store: Store
  readonly now: () => number
  readonly sleep: StoreClock['sleep']
  /** Hosts to which deliveries may go, besides this machine. */
  readonly webhooksTo: readonly string[]
}

const timeoutMs = 5_000

/** Maximum time, in milliseconds, before the sender checks the clock again, because a test may have set it. */
const pollMs = 1_000

/** Opens a sender. */
export function openSender({ store, now, sleep, webhooksTo }: SenderOptions) {
  const closing = new AbortController()
  const sending = new Set<string>()
  let isWaiting = false
  const isOpen = () => !closing.signal.aborted

  const attempt = async (delivery: DueDelivery) => {
    const outcome = await send(delivery, { store, now, sleep, webhooksTo }, closing.signal)
    if (!isOpen()) return
    await store.write(() => {
      recordAttempt(store, delivery, { attempt: outcome, now: now() })
    })
  }
  const deliver = async (delivery: DueDelivery) => {
    try {
      await attempt(delivery)
    } catch (error) {
      // Without this wait, a delivery that cannot be recorded would be resent at once.
      if (isOpen()) await sleep(pollMs)
      throw error
    } finally {
      sending.delete(delivery.id)
      await wait()
    }
  }
  const scan = async () => {
    const due = await store.read(() => dueDeliveries(store, { at: new Date(now()).toISOString(), sending }))
    for (const delivery of due.filter(({ id }) => !sending.has(id))) {
      sending.add(delivery.id)
      void quietly(deliver(delivery))
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
    /** Sends due deliveries now, and later ones when they are due. */
    wake: () => {
      if (isOpen()) void quietly(scan().then(wait))
    },
    close: () => {
      closing.abort()
    },
  }
}

/** Ignores a database that is closed or locked: pending deliveries stay pending. */
const quietly = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof StoreError) && !(error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE')) throw error
  })

async function send(delivery: DueDelivery, { now, sleep, webhooksTo }: SenderOptions, closing: AbortSignal): Promise<Attempt> {
  const failed = (error: string, isFinal = false) => ({ httpStatus: null, error, isFinal })
  if (!isDeliverable(delivery.url, webhooksTo)) return failed(undeliverable(delivery.url), true)
  const timeout = new AbortController()
  const post = fetch(delivery.url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([timeout.signal, closing]),
    ...requestOf(delivery, now()),
  })
  const answered = post.then(async ({ status, body }) => {
    await body?.cancel()
    return { httpStatus: status, error: status === 200 ? null : `The receiver answered ${status}.`, isFinal: false }
  })
  const late = sleep(timeoutMs).then(() => {
    timeout.abort()
    return failed('The receiver did not answer within 5 seconds.')
  })
  return Promise.race([answered.catch(() => failed('The receiver could not be reached.')), late])
}
