import { randomUUID } from 'node:crypto'
import { Conflict } from '@mcp-toolkits/core'
import { joinWords } from '@mcp-toolkits/core/text'
import { type ParsedBody, readBody } from '../pipelines/body.ts'
import { addIdentities, bodyHash, type CallName, type Fingerprint, fingerprints, personsIn } from '../pipelines/calls.ts'
import { splitIntoRequests, withCalls } from '../pipelines/limits.ts'
import type { Duplicates, EnqueuePlan, Entry, KnownCall } from './outbox-store.ts'

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
 * How a submission enters the outbox: calls whose `messageId` is there already are not stored again, and a body whose earlier call was
 * never answered keeps the ids it got then. Throws `Conflict` for a `messageId` that belongs to another body.
 */
export function planEnqueue(submission: Submission, found: Duplicates, options: PlanOptions): EnqueuePlan {
  const { known, earlier } = found
  const prints = fingerprints(submission.name, submission.body)
  rejectReusedIds(prints, known)
  const [first] = earlier
  const joined = uniqueEntries(known.flatMap((call) => call?.entry ?? []))
  if (first && !first.isAnswered && !found.isEarlierAwaited) return resume(uniqueEntries([...joined, ...earlier]), prints)
  if (joined.length > 0 && !known.includes(undefined)) return repeat(joined, prints, submission.isStrict)
  if (joined.length > 0) return addRest(submission, { known, joined, prints }, options)
  const plan = create(submission, submission.body, options)
  const isEqual = first !== undefined && (first.state === 'delivered' || first.state === 'open')
  return { ...plan, notices: [...plan.notices, ...(isEqual ? [equalBodyNotice(first)] : [])] }
}

function rejectReusedIds(prints: readonly Fingerprint[], known: readonly (KnownCall | undefined)[]): void {
  const hashes = new Map(prints.map(({ messageId, hash }) => [messageId, hash]))
  const reused = prints.flatMap(({ messageId, hash }, index) => {
    const isReused = hashes.get(messageId) !== hash || known[index]?.hashes.includes(hash) === false
    return messageId !== undefined && isReused ? [`"${messageId}"`] : []
  })
  if (reused.length === 0) return
  const belong = reused.length === 1 ? 'belongs' : 'belong'
  const text = `messageId ${joinWords(reused)} ${belong} to another body already; the vendor would drop this one silently, so nothing was sent.`
  throw new Conflict(`${text} Give a changed call a new messageId, or leave it out to have one added.`)
}

/** Every call is in the outbox already. */
function repeat(joined: readonly Entry[], prints: readonly Fingerprint[], isStrict: boolean): EnqueuePlan {
  const isDelivered = joined.every(({ state }) => state === 'delivered')
  const wasPermissive = isDelivered && isStrict && joined.some((entry) => !entry.isStrict)
  return {
    joined,
    created: [],
    messageIds: prints.flatMap(({ messageId }) => messageId ?? []),
    added: [],
    notices: [
      isDelivered
        ? 'This was delivered before under the same messageId and was not sent again.'
        : 'This was submitted before under the same messageId.',
      ...(wasPermissive ? ['It was sent in permissive mode then, so it was never validated.'] : []),
    ],
  }
}

/** The same body was submitted by a call that gave up, or whose process died. */
function resume(joined: readonly Entry[], prints: readonly Fingerprint[]): EnqueuePlan {
  const ownIds = new Set(prints.map(({ messageId }) => messageId))
  const addedIds = joined.flatMap(({ messageIds }) => messageIds).filter((id) => !ownIds.has(id))
  return {
    joined,
    created: [],
    messageIds: prints.flatMap(({ messageId }) => messageId ?? addedIds.shift() ?? []),
    added: joined.flatMap(({ added }) => added),
    notices: ['The same body was submitted before and that call was never answered; it keeps the messageIds it got then.'],
  }
}

/** Creates entries for those calls of a batch that are new. */
function addRest(
  submission: Submission,
  {
    known,
    joined,
    prints,
  }: { readonly known: Duplicates['known']; readonly joined: readonly Entry[]; readonly prints: readonly Fingerprint[] },
  options: PlanOptions,
): EnqueuePlan {
  const newIndexes = known.flatMap((call, index) => (call ? [] : [index]))
  const rest = readBody(withCalls(submission.body, (index) => known[index] === undefined))
  const plan = create(submission, rest, options)
  const newIds = [...plan.messageIds]
  const notice = `${known.length - newIndexes.length} calls of the batch were submitted before under the same messageId and were left out.`
  return {
    joined,
    created: plan.created,
    messageIds: known.flatMap((call, index) => (call ? [prints[index]?.messageId ?? ''] : newIds.splice(0, 1))),
    added: plan.added.map(({ at, ...fields }) => ({
      at: at.replace(/\d+/, (index) => `${newIndexes[Number(index)] ?? index}`),
      ...fields,
    })),
    notices: [notice, ...plan.notices],
  }
}

/** Entries for a body: its own, or with only the new calls of a batch. */
function create({ name, body: submitted, isStrict }: Submission, body: ParsedBody, { addIds, now }: PlanOptions): EnqueuePlan {
  const identity = () => ({ messageId: randomUUID(), timestamp: new Date(now).toISOString() })
  const { text, added } = addIds ? addIdentities(name, body, identity) : { text: body.text, added: [] }
  const sent = readBody(text)
  const parts = splitIntoRequests(name, sent)
  const prints = fingerprints(name, body)
  const sentPrints = fingerprints(name, sent)
  const deliveryId = randomUUID()
  const created = parts.map(({ text: part, first, last }, index) => {
    const calls = sentPrints.slice(first, last + 1)
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
        messageId === undefined ? [] : [{ messageId, callerHash: prints[first + offset]?.hash ?? hash, sentHash: hash }],
      ),
    }
  })
  return {
    joined: [],
    created,
    messageIds: sentPrints.flatMap(({ messageId }) => messageId ?? []),
    added,
    notices: parts.length > 1 ? [`The batch is over 500 KB and is sent in ${parts.length} requests, in order.`] : [],
  }
}

function equalBodyNotice({ createdAt, messageIds }: Entry): string {
  const at = new Date(createdAt).toISOString()
  return `An equal body was submitted at ${at} under messageId ${messageIds[0] ?? 'none'}. This is a second event; if it was meant as a repeat, pass that messageId next time.`
}

function uniqueEntries(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()].sort((a, b) => a.id - b.id)
}
