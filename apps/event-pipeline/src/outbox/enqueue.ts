import { randomUUID } from 'node:crypto'
import { Conflict, count, joinWords, quote } from '@mcp-toolkits/core/errors'
import type { AddedFields, BodyText, CallName, PreparedBody, PreparedCall } from '../pipelines/calls.ts'
import { type RequestPart, splitIntoRequests, withCalls } from '../pipelines/body/limits.ts'
import type { Duplicates, EnqueuePlan, Entry, NewEntry, StoredCall } from './outbox-store.ts'

/** A submission whose calls have their ids and hashes. */
export interface PreparedSubmission extends PreparedBody {
  readonly name: CallName
  readonly isStrict: boolean
  /** The person who submits it, if people share the key. */
  readonly owner: string
}

/**
 * Plans the entries that a submission adds to the outbox. Calls whose `messageId` is already stored are not stored again, nor is
 * the body of an earlier call that got no result. Throws `Conflict` for a `messageId` that belongs to a different body.
 */
export function planEnqueue(submission: PreparedSubmission, duplicates: Duplicates): EnqueuePlan {
  const { storedCalls, continued, latest } = duplicates
  const { calls } = submission
  rejectReusedIds(calls, storedCalls)
  const joined = uniqueEntries(storedCalls.flatMap((call) => call?.entry ?? []))
  if (continued.length > 0) return planContinuation(uniqueEntries([...joined, ...continued]), continued, calls)
  if (joined.length > 0 && !storedCalls.includes(undefined)) return planRepeat(joined, calls, submission.isStrict)
  if (joined.length > 0) return planNewCalls(submission, storedCalls, joined)
  const plan = planNewEntries(submission, submission.sent, calls)
  const isEqual = latest !== undefined && (latest.state === 'delivered' || latest.state === 'open')
  return { ...plan, notices: [...plan.notices, ...(isEqual ? [equalBodyNotice(latest)] : [])] }
}

/** Maximum number of ids per error. */
const maxListedIds = 20

function rejectReusedIds(calls: readonly PreparedCall[], storedCalls: readonly (StoredCall | undefined)[]): void {
  const hashes = new Map(calls.map(({ messageId, hash }) => [messageId, hash]))
  const reused = calls.flatMap(({ messageId, hash, hashWithoutId }, index) => {
    const stored = storedCalls[index]?.hashes
    const isReused = hashes.get(messageId) !== hash || (stored && !stored.includes(hash) && !stored.includes(hashWithoutId))
    return messageId !== undefined && isReused ? [quote(messageId)] : []
  })
  if (reused.length === 0) return
  const listed = joinWords(
    reused.length > maxListedIds ? [...reused.slice(0, maxListedIds), `${reused.length - maxListedIds} more`] : reused,
  )
  const were = reused.length === 1 ? 'was' : 'were'
  const text = `messageId ${listed} ${were} already used for a different body, so Customer.io would drop this call. Nothing was sent.`
  throw new Conflict(`${text} Use a new messageId, or omit it to have one added.`)
}

/** Plans a submission whose calls are all already in the outbox. */
function planRepeat(joined: readonly Entry[], calls: readonly PreparedCall[], isStrict: boolean): EnqueuePlan {
  const isDelivered = joined.every(({ state }) => state === 'delivered')
  const wasPermissive = isDelivered && isStrict && joined.some((entry) => !entry.isStrict)
  return {
    joined,
    created: [],
    messageIds: calls.flatMap(({ messageId }) => messageId ?? []),
    added: [],
    notices: [
      isDelivered ? 'Already delivered under the same messageId; it was not sent again.' : 'Already submitted under the same messageId.',
      ...(wasPermissive ? ['That call was permissive, so the body was never validated.'] : []),
    ],
  }
}

/** Continues an earlier call that got no result because its caller gave up or its process died. */
function planContinuation(joined: readonly Entry[], continued: readonly Entry[], calls: readonly PreparedCall[]): EnqueuePlan {
  const added = continued.flatMap((entry) => entry.added)
  const addedIds = added.flatMap(({ messageId }) => messageId ?? []).values()
  const consequence = continued.every(({ isIdentified }) => isIdentified)
    ? 'nothing counts twice, because the messageIds are the same.'
    : 'calls without a messageId may count twice.'
  return {
    joined,
    created: [],
    messageIds: calls.flatMap(({ messageId }) => messageId ?? addedIds.next().value ?? []),
    added,
    notices: [`An identical earlier call got no result. This one continues it; ${consequence}`],
  }
}

/** Plans entries for a batch's new calls. */
function planNewCalls(submission: PreparedSubmission, storedCalls: Duplicates['storedCalls'], joined: readonly Entry[]): EnqueuePlan {
  const { calls, sent } = submission
  const isNew = (_: unknown, index: number) => storedCalls[index] === undefined
  const newCalls = calls.filter(isNew)
  const plan = planNewEntries(submission, withCalls(sent, sent.items.filter(isNew)), newCalls)
  const notice = `Already submitted under the same messageId, and not sent again: ${count(calls.length - newCalls.length, 'call')} in the batch.`
  return {
    ...plan,
    joined,
    messageIds: calls.flatMap(({ sent: { messageId } }) => messageId ?? []),
    notices: [notice, ...plan.notices],
  }
}

/** Plans entries for all calls in a body: the submitted one, or one with only a batch's new calls. */
function planNewEntries(submission: PreparedSubmission, text: BodyText, calls: readonly PreparedCall[]): EnqueuePlan {
  const parts = splitIntoRequests(submission.name, text)
  return {
    joined: [],
    created: newEntries(submission, parts, calls),
    messageIds: calls.flatMap(({ sent }) => sent.messageId ?? []),
    added: addedTo(calls),
    notices: parts.length > 1 ? [`The batch is over 500 KB and is sent in ${parts.length} requests, in order.`] : [],
  }
}

function* newEntries(
  { name, hash, isStrict, owner }: PreparedSubmission,
  parts: readonly RequestPart[],
  calls: readonly PreparedCall[],
): Generator<NewEntry> {
  const deliveryId = randomUUID()
  for (const [index, { text, first, last }] of parts.entries()) {
    const ofPart = calls.slice(first, last + 1)
    yield {
      deliveryId,
      part: index,
      owner,
      call: name,
      isStrict,
      isIdentified: ofPart.length > 0 && ofPart.every(({ sent }) => sent.messageId !== undefined),
      body: text(),
      bodyHash: hash,
      persons: orderingKeysOf(name, ofPart),
      messageIds: ofPart.flatMap(({ sent }) => sent.messageId ?? []),
      added: addedTo(ofPart),
      messages: ofPart.flatMap(({ sent, hash: callerHash }) =>
        sent.messageId === undefined ? [] : [{ messageId: sent.messageId, callerHash, sentHash: sent.hash }],
      ),
    }
  }
}

/**
 * Ordering keys: the people that the calls are about, or the endpoint for a body without calls. Entries that share a key are sent in
 * order.
 */
export function orderingKeysOf(name: CallName, calls: readonly PreparedCall[]): string[] {
  return calls.length === 0 ? [`/${name}`] : calls.flatMap(({ persons }) => persons)
}

function addedTo(calls: readonly PreparedCall[]): AddedFields[] {
  return calls.map(({ added }) => added).filter(({ messageId, timestamp }) => messageId !== undefined || timestamp !== undefined)
}

function equalBodyNotice({ createdAt, messageIds }: Entry): string {
  const at = new Date(createdAt).toISOString()
  const [id] = messageIds
  const [named, advice] =
    id === undefined
      ? [' without a messageId', 'The first one cannot be repeated safely.']
      : [` with messageId ${quote(id)}`, 'To repeat the first one, pass that messageId.']
  return `An identical body was submitted at ${at}${named}. This call counts as a second event. ${advice}`
}

function uniqueEntries(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()].sort((a, b) => a.id - b.id)
}
