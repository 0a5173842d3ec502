import { randomUUID } from 'node:crypto'
import { Conflict } from '@mcp-toolkits/core'
import { readBody, type Body } from '../pipelines/body.ts'
import type { CallName } from '../pipelines/call.ts'
import { callPrints, canonical, hashOf, type CallPrint } from '../pipelines/canonical.ts'
import { identify, messageIdsOf, type Added, type Identity } from '../pipelines/identity.ts'
import { keeping, partsOf } from '../pipelines/size.ts'
import { messageIdsIn, type Entry } from './entry.ts'
import type { Destination, KnownMessage, Ledger } from './ledger.ts'
import { personOf } from './person.ts'

/** How long a text without ids is recognised after a call that ended without an answer, in milliseconds. */
const repeatWindow = 10 * 60 * 1000

export interface Submission {
  readonly name: CallName
  readonly body: Body
  readonly strict: boolean
}

/** What a submission came to before anything is sent: the entries that carry it, old and new. */
export interface Intake {
  readonly entries: readonly Entry[]
  readonly added: readonly Added[]
  readonly notices: readonly string[]
}

export interface IntakeOptions {
  readonly ledger: Ledger
  readonly destination: Destination
  /** Whether `messageId` and `timestamp` are added where absent. */
  readonly addIds: boolean
}

/**
 * Writes a submission into the outbox, once: calls whose `messageId` is there already are not written again, and a text whose
 * earlier call was never answered keeps the ids it got then. Throws `Conflict` for a `messageId` that stands for another body.
 */
export function takeIn(options: IntakeOptions, submission: Submission): Intake {
  const { ledger, destination } = options
  const { name, body } = submission
  const prints = callPrints(name, body)
  const givenHash = hashOf(`${name}\n${canonical(body.text)}`)
  return ledger.atomically(() => {
    const known = prints.map(({ messageId }) => (messageId === undefined ? undefined : ledger.known(destination, messageId)))
    refuseOtherBodies(prints, known)
    const held = known.flatMap((message) => (message ? ledger.parts(message.entry.delivery_id) : []))
    if (known.length > 0 && known.every((message) => message !== undefined)) return repeated(unique(held))
    if (held.length > 0) return remainder(options, submission, { known, held: unique(held) })
    const earlier = ledger.latestOf(destination, givenHash, Date.now() - repeatWindow)
    const [first] = earlier
    if (first && isUnanswered(ledger, first)) return unanswered(earlier)
    const written = write(options, submission, givenHash)
    const equal =
      first && ['delivered', 'open'].includes(first.state) && first.message_ids !== written.entries[0]?.message_ids
        ? [equalBefore(first)]
        : []
    return { ...written, notices: [...written.notices, ...equal] }
  })
}

function refuseOtherBodies(prints: readonly CallPrint[], known: readonly (KnownMessage | undefined)[]): void {
  const others = prints
    .filter(({ hash }, index) => known[index] && !known[index].hashes.includes(hash))
    .map(({ messageId }) => `"${messageId ?? ''}"`)
  if (others.length === 0) return
  const text = `messageId ${others.join(', ')} was sent before with another body; the vendor would drop this one unseen, so nothing was sent.`
  throw new Conflict(`${text} Give a changed call a new messageId, or leave it out to have one added.`)
}

function repeated(entries: readonly Entry[]): Intake {
  const done = entries.every(({ state }) => state === 'delivered')
  const notice = done
    ? 'This was delivered before under the same messageId and was not sent again.'
    : 'This was handed in before under the same messageId.'
  return { entries, added: [], notices: [notice] }
}

function unanswered(entries: readonly Entry[]): Intake {
  const added: Added[] = entries.flatMap((entry) => readAdded(entry))
  return {
    entries,
    added,
    notices: ['The same body was handed in before and that call was never answered; it keeps the messageIds it got then.'],
  }
}

/** An entry whose caller has no answer and waits for none any more: it gave up, or the process died. */
function isUnanswered(ledger: Ledger, { id, answered, state, reason }: Entry): boolean {
  return (answered === 0 && !ledger.isAwaited(id)) || (state === 'parked' && reason === 'cancelled')
}

function equalBefore(entry: Entry): string {
  return `An equal body went out at ${new Date(entry.created_at).toISOString()} under messageId ${messageIdsIn(entry)[0] ?? 'none'}. This is a second event; if it was meant as a repeat, pass that messageId next time.`
}

/** Writes down only those calls of a batch that are new. */
function remainder(
  options: IntakeOptions,
  submission: Submission,
  { known, held }: { known: readonly (KnownMessage | undefined)[]; held: readonly Entry[] },
): Intake {
  const body = readBody(keeping(submission.body, (index) => known[index] === undefined))
  const rest = write(options, { ...submission, body }, hashOf(`${submission.name}\n${canonical(body.text)}`))
  const leftOut = known.filter((message) => message !== undefined).length
  const notice = `${leftOut} calls of the batch were handed in before under the same messageId and were left out.`
  return { entries: [...held, ...rest.entries], added: rest.added, notices: [notice, ...rest.notices] }
}

function write({ ledger, destination, addIds }: IntakeOptions, { name, body, strict }: Submission, givenHash: string): Intake {
  const { text, added } = addIds ? identify(body, mint) : { text: body.text, added: [] }
  const sent = readBody(text)
  const parts = partsOf(name, sent)
  const prints = callPrints(name, body)
  const sentPrints = callPrints(name, sent)
  const deliveryId = randomUUID()
  const entries = parts.map((part, index) => {
    const calls = sentPrints.slice(part.first, part.last + 1)
    return ledger.add(destination, {
      deliveryId,
      part: index,
      call: name,
      strict,
      body: part.text,
      givenHash,
      person: personOf(name, sent.json),
      messageIds: messageIdsOf(readBody(part.text).json),
      added: JSON.stringify(index === 0 ? added : []),
      messages: calls.flatMap(({ messageId, hash }, offset) =>
        messageId === undefined ? [] : [{ messageId, givenHash: prints[part.first + offset]?.hash ?? hash, sentHash: hash }],
      ),
    })
  })
  const notices = parts.length > 1 ? [`The batch is over 500 KB and goes in ${parts.length} requests, in order.`] : []
  return { entries, added, notices }
}

function mint(): Identity {
  return { messageId: randomUUID(), timestamp: new Date().toISOString() }
}

function unique(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

function readAdded({ added }: Entry): Added[] {
  const parsed: unknown = JSON.parse(added)
  return Array.isArray(parsed) ? parsed.filter(isAdded) : []
}

function isAdded(value: unknown): value is Added {
  return typeof value === 'object' && value !== null && 'at' in value
}
