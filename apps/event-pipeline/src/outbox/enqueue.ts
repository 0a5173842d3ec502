import { randomUUID } from 'node:crypto'
import { Conflict } from '@mcp-toolkits/core'
import { joinWords, quote } from '@mcp-toolkits/core/text'
import { type ParsedBody, readBody } from '../pipelines/body.ts'
import { addIdentities, bodyHash, type CallName, type Fingerprint, fingerprints, personsIn } from '../pipelines/calls.ts'
import { splitIntoRequests, withCalls } from '../pipelines/limits.ts'
import type { Duplicates, EnqueuePlan, Entry, StoredCall } from './outbox-store.ts'

export interface Submission {
  readonly name: CallName
  readonly body: ParsedBody
  readonly isStrict: boolean
}

export interface PlanOptions {
  /** Whether `messageId` and `timestamp` are added where they are absent. */
  readonly addIds: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Plans what a submission adds to the outbox: calls whose `messageId` is stored already are not stored again, and a body from an earlier
 * call without an answer keeps the ids that were added then. Throws `Conflict` for a `messageId` that belongs to another body.
 */
export function planEnqueue(submission: Submission, duplicates: Duplicates, options: PlanOptions): EnqueuePlan {
  const { storedCalls, equalEntries } = duplicates
  const callerFingerprints = fingerprints(submission.name, submission.body)
  rejectReusedIds(callerFingerprints, storedCalls)
  const [first] = equalEntries
  const joined = uniqueEntries(storedCalls.flatMap((call) => call?.entry ?? []))
  if (first && !first.isAnswered && !duplicates.isCallWaiting)
    return planResume(uniqueEntries([...joined, ...equalEntries]), callerFingerprints)
  if (joined.length > 0 && !storedCalls.includes(undefined)) return planRepeat(joined, callerFingerprints, submission.isStrict)
  if (joined.length > 0) return planNewCalls(submission, { storedCalls, joined, callerFingerprints }, options)
  const plan = planNewEntries(submission, submission.body, options)
  const isEqual = first !== undefined && (first.state === 'delivered' || first.state === 'open')
  return { ...plan, notices: [...plan.notices, ...(isEqual ? [equalBodyNotice(first)] : [])] }
}

function rejectReusedIds(callerFingerprints: readonly Fingerprint[], storedCalls: readonly (StoredCall | undefined)[]): void {
  const hashes = new Map(callerFingerprints.map(({ messageId, hash }) => [messageId, hash]))
  const reused = callerFingerprints.flatMap(({ messageId, hash }, index) => {
    const isReused = hashes.get(messageId) !== hash || storedCalls[index]?.hashes.includes(hash) === false
    return messageId !== undefined && isReused ? [quote(messageId)] : []
  })
  if (reused.length === 0) return
  const belong = reused.length === 1 ? 'belongs' : 'belong'
  const text = `messageId ${joinWords(reused)} ${belong} to another body already; the vendor would drop this one silently, so nothing was sent.`
  throw new Conflict(`${text} Give a changed call a new messageId, or leave it out to have one added.`)
}

/** Plans a submission whose calls are all in the outbox already. */
function planRepeat(joined: readonly Entry[], callerFingerprints: readonly Fingerprint[], isStrict: boolean): EnqueuePlan {
  const isDelivered = joined.every(({ state }) => state === 'delivered')
  const wasPermissive = isDelivered && isStrict && joined.some((entry) => !entry.isStrict)
  return {
    joined,
    created: [],
    messageIds: callerFingerprints.flatMap(({ messageId }) => messageId ?? []),
    added: [],
    notices: [
      isDelivered
        ? 'This was delivered before under the same messageId and was not sent again.'
        : 'This was submitted before under the same messageId.',
      ...(wasPermissive ? ['It was sent in permissive mode then, so it was never validated.'] : []),
    ],
  }
}

/** Plans a body that was submitted by a call that gave up, or whose process died. */
function planResume(joined: readonly Entry[], callerFingerprints: readonly Fingerprint[]): EnqueuePlan {
  const ownIds = new Set(callerFingerprints.map(({ messageId }) => messageId))
  const addedIds = joined.flatMap(({ messageIds }) => messageIds).filter((id) => !ownIds.has(id))
  return {
    joined,
    created: [],
    messageIds: callerFingerprints.flatMap(({ messageId }) => messageId ?? addedIds.shift() ?? []),
    added: joined.flatMap(({ added }) => added),
    notices: ['The same body was submitted before and that call was never answered; it keeps the messageIds that were added then.'],
  }
}

/** Plans entries for the new calls of a batch. */
function planNewCalls(
  submission: Submission,
  {
    storedCalls,
    joined,
    callerFingerprints,
  }: {
    readonly storedCalls: Duplicates['storedCalls']
    readonly joined: readonly Entry[]
    readonly callerFingerprints: readonly Fingerprint[]
  },
  options: PlanOptions,
): EnqueuePlan {
  const newIndexes = storedCalls.flatMap((call, index) => (call ? [] : [index]))
  const rest = readBody(withCalls(submission.body, (index) => storedCalls[index] === undefined))
  const plan = planNewEntries(submission, rest, options)
  const newIds = [...plan.messageIds]
  const notice = `${storedCalls.length - newIndexes.length} calls of the batch were submitted before under the same messageId and were left out.`
  return {
    joined,
    created: plan.created,
    messageIds: storedCalls.flatMap((call, index) => (call ? [callerFingerprints[index]?.messageId ?? ''] : newIds.splice(0, 1))),
    added: plan.added.map(({ at, ...fields }) => ({
      at: at.replace(/\d+/, (index) => `${newIndexes[Number(index)] ?? index}`),
      ...fields,
    })),
    notices: [notice, ...plan.notices],
  }
}

/** Plans entries for a body: the submitted one, or one with only the new calls of a batch. */
function planNewEntries({ name, body: submitted, isStrict }: Submission, body: ParsedBody, { addIds, now }: PlanOptions): EnqueuePlan {
  const identity = () => ({ messageId: randomUUID(), timestamp: new Date(now).toISOString() })
  const { text, added } = addIds ? addIdentities(name, body, identity) : { text: body.text, added: [] }
  const sent = readBody(text)
  const parts = splitIntoRequests(name, sent)
  const callerFingerprints = fingerprints(name, body)
  const sentFingerprints = fingerprints(name, sent)
  const deliveryId = randomUUID()
  const created = parts.map(({ text: part, first, last }, index) => {
    const calls = sentFingerprints.slice(first, last + 1)
    return {
      deliveryId,
      part: index,
      call: name,
      isStrict,
      isIdentified: calls.length > 0 && calls.every(({ messageId }) => messageId !== undefined),
      body: part,
      bodyHash: bodyHash(name, submitted),
      persons: personsIn(name, readBody(part)),
      messageIds: calls.flatMap(({ messageId }) => messageId ?? []),
      added: index === 0 ? added : [],
      messages: calls.flatMap(({ messageId, hash }, offset) =>
        messageId === undefined ? [] : [{ messageId, callerHash: callerFingerprints[first + offset]?.hash ?? hash, sentHash: hash }],
      ),
    }
  })
  return {
    joined: [],
    created,
    messageIds: sentFingerprints.flatMap(({ messageId }) => messageId ?? []),
    added,
    notices: parts.length > 1 ? [`The batch is over 500 KB and is sent in ${parts.length} requests, in order.`] : [],
  }
}

function equalBodyNotice({ createdAt, messageIds }: Entry): string {
  const at = new Date(createdAt).toISOString()
  return `The same body was submitted at ${at} under messageId ${messageIds[0] ?? 'none'}. This is a second event; to repeat the first one instead, pass that messageId next time.`
}

function uniqueEntries(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()].sort((a, b) => a.id - b.id)
}
