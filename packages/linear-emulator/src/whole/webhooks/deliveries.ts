import { createHmac, randomUUID } from 'node:crypto'
import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { integer, nullable, type Store, text } from '@mcp-toolkits/store'
import { recordWriter } from '../record-types.ts'

const writer = recordWriter('delivery')

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string
  readonly webhookId: string
  /** The body, without what depends on the attempt. */
  readonly event: string
  readonly resource: string
  readonly attempts: number
  readonly url: string
  readonly secret: string
}

/** Stores a delivery, which is due at once. */
export function addDelivery(
  store: Store,
  { webhookId, event, at }: { readonly webhookId: string; readonly event: JsonObject; readonly at: string },
): void {
  const data = {
    webhookId,
    event: JSON.stringify(event),
    resource: stringAt(event, 'type'),
    action: stringAt(event, 'action'),
    attempts: 0,
    status: 'pending',
    dueAt: at,
  }
  writer.insert(store, { id: randomUUID(), createdAt: at, updatedAt: at, archivedAt: null, ...data })
}

const pending = "d.type = 'delivery' and d.data ->> '$.status' = 'pending'"

/** The deliveries that are due at a moment, oldest first, to webhooks that are enabled. */
export const dueDeliveries = (store: Store, at: string): DueDelivery[] =>
  store.rows(
    { id: text, webhookId: text, event: text, resource: text, attempts: integer, url: text, secret: text },
    `select d.id, w.id as webhookId, d.data ->> '$.event' as event, d.data ->> '$.resource' as resource, d.data ->> '$.attempts' as attempts,
       w.data ->> '$.url' as url, w.data ->> '$.secret' as secret
     from records d join records w on w.id = d.data ->> '$.webhookId' and w.type = 'Webhook' and w.data ->> '$.enabled' = 1
     where ${pending} and d.data ->> '$.dueAt' <= :at order by d.rowid`,
    { at },
  )

/** When the next delivery is due; undefined when none is pending. */
export const nextDue = (store: Store): string | undefined =>
  store.rows({ dueAt: nullable(text) }, `select min(d.data ->> '$.dueAt') as dueAt from records d where ${pending}`)[0]?.dueAt ?? undefined

/** Retries follow a minute, an hour and six hours after an attempt: https://linear.app/developers/webhooks */
const backoff = [60_000, 3_600_000, 21_600_000]

/** How an attempt ended: with a status, or with a reason for which there is none. */
export interface Attempt {
  readonly httpStatus: number | null
  readonly error: string | null
  /** Whether it is pointless to try again. */
  readonly isFinal: boolean
}

/** Records an attempt. After the last one the webhook is disabled, and so is everything else that it waits for. */
export function recordAttempt(
  store: Store,
  delivery: DueDelivery,
  { attempt, now }: { readonly attempt: Attempt; readonly now: number },
): void {
  const attempts = delivery.attempts + 1
  const wait = backoff[delivery.attempts]
  const isDelivered = attempt.httpStatus === 200
  const isRetried = !isDelivered && !attempt.isFinal && wait !== undefined
  const { httpStatus, error } = attempt
  const updatedAt = new Date(now).toISOString()
  const status = isDelivered ? 'delivered' : isRetried ? 'pending' : 'failed'
  writer.update(store, delivery.id, {
    updatedAt,
    attempts,
    httpStatus,
    error,
    status,
    dueAt: isRetried ? new Date(now + wait).toISOString() : null,
  })
  if (status === 'failed' && !attempt.isFinal) recordWriter('Webhook').update(store, delivery.webhookId, { updatedAt, enabled: 0 })
}

/** The request of an attempt, whose body says when it is sent. */
export function requestOf(
  { id, webhookId, event, resource, secret }: DueDelivery,
  now: number,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
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
