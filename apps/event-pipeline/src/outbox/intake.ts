import { randomUUID } from 'node:crypto'
import { Conflict } from '@mcp-toolkits/core'
import { readBody, type Body } from '../pipelines/body.ts'
import type { CallName } from '../pipelines/call.ts'
import { callPrints, canonical, hashOf, type CallPrint } from '../pipelines/canonical.ts'
import { identify, type Added, type Identity } from '../pipelines/identity.ts'
import { keeping, partsOf } from '../pipelines/size.ts'
import { messageIdsIn, type Destination, type Entry, type KnownMessage } from './entry.ts'
import type { Ledger } from './ledger.ts'
import { personsIn } from './person.ts'

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
  /** Ids of the calls that were handed in, in their order. */
  readonly messageIds: readonly string[]
  readonly added: readonly Added[]
  readonly notices: readonly string[]
}

export interface IntakeOptions {
  readonly ledger: Ledger
  readonly destination: Destination
  /** Whether `messageId` and `timestamp` are added where absent. */
  readonly addIds: boolean
}

type Known = readonly (KnownMessage | undefined)[]

/**
 * Writes a submission into the outbox, once: calls whose `messageId` is there already are not written again, and a text whose
 * earlier call was never answered keeps the ids it got then. Throws `Conflict` for a `messageId` that stands for another body.
 */
export function takeIn(options: IntakeOptions, submission: Submission): Intake {
  const { ledger, destination } = options
  const { name, body, strict } = submission
  const prints = callPrints(name, body)
  const givenHash = hashOf(`${name}\n${canonical(body.text)}`)
  return ledger.atomically(() => {
    ledger.senders.beat()
    const known = prints.map(({ messageId }) => (messageId === undefined ? undefined : ledger.known(destination, messageId)))
    refuseOtherBodies(prints, known)
    const earlier = ledger.latestOf(destination, givenHash, Date.now() - repeatWindow)
    const taken = decide(options, submission, { prints, known, earlier, givenHash })
    for (const { id } of taken.entries) ledger.await(id, strict)
    return taken
  })
}

interface Findings {
  readonly prints: readonly CallPrint[]
  readonly known: Known
  readonly earlier: readonly Entry[]
  readonly givenHash: string
}

function decide(options: IntakeOptions, submission: Submission, { prints, known, earlier, givenHash }: Findings): Intake {
  const { ledger } = options
  const [first] = earlier
  const held = unique(known.flatMap((message) => (message ? [message.entry] : [])))
  if (first && isUnanswered(ledger, first)) return unanswered(unique([...held, ...earlier]), prints)
  if (held.length > 0 && known.every((message) => message !== undefined)) return repeated(held, prints, submission.strict)
  if (held.length > 0) return remainder(options, submission, { known, held })
  const written = write(options, submission, { givenHash })
  const equal = first && ['delivered', 'open'].includes(first.state) ? [equalBefore(first)] : []
  return { ...written, notices: [...written.notices, ...equal] }
}

function refuseOtherBodies(prints: readonly CallPrint[], known: Known): void {
  const within = new Map(prints.map(({ messageId, hash }) => [messageId, hash]))
  const others = prints
    .filter(({ messageId }) => messageId !== undefined)
    .filter((print) => within.get(print.messageId) !== print.hash || known[prints.indexOf(print)]?.hashes.includes(print.hash) === false)
    .map(({ messageId }) => `"${messageId ?? ''}"`)
  if (others.length === 0) return
  const text = `messageId ${others.join(', ')} stands for another body already; the vendor would drop this one unseen, so nothing was sent.`
  throw new Conflict(`${text} Give a changed call a new messageId, or leave it out to have one added.`)
}

function repeated(entries: readonly Entry[], prints: readonly CallPrint[], strict: boolean): Intake {
  const done = entries.every(({ state }) => state === 'delivered')
  const notice = done
    ? 'This was delivered before under the same messageId and was not sent again.'
    : 'This was handed in before under the same messageId.'
  const permissive = done && strict && entries.some((entry) => entry.strict === 0)
  const messageIds = prints.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]))
  return {
    entries,
    messageIds,
    added: [],
    notices: [notice, ...(permissive ? ['It went out in permissive mode then, so it was never validated.'] : [])],
  }
}

function unanswered(entries: readonly Entry[], prints: readonly CallPrint[]): Intake {
  const given = new Set(prints.map(({ messageId }) => messageId))
  const minted = entries.flatMap(messageIdsIn).filter((id) => !given.has(id))
  return {
    entries,
    messageIds: prints.flatMap(({ messageId }) => messageId ?? minted.shift() ?? []),
    added: entries.flatMap(readAdded),
    notices: ['The same body was handed in before and that call was never answered; it keeps the messageIds it got then.'],
  }
}

/** An entry whose caller has no answer and waits for none any more: it gave up, or the process died. */
function isUnanswered(ledger: Ledger, { id, answered }: Entry): boolean {
  return answered === 0 && !ledger.isAwaited(id)
}

function equalBefore(entry: Entry): string {
  const at = new Date(entry.created_at).toISOString()
  return `An equal body was handed in at ${at} under messageId ${messageIdsIn(entry)[0] ?? 'none'}. This is a second event; if it was meant as a repeat, pass that messageId next time.`
}

/** Writes down only those calls of a batch that are new. */
function remainder(
  options: IntakeOptions,
  submission: Submission,
  { known, held }: { readonly known: Known; readonly held: readonly Entry[] },
): Intake {
  const fresh = known.flatMap((message, index) => (message ? [] : [index]))
  const body = readBody(keeping(submission.body, (index) => known[index] === undefined))
  const rest = write(
    options,
    { ...submission, body },
    { givenHash: hashOf(`${submission.name}\n${canonical(submission.body.text)}`), positions: fresh },
  )
  const given = callPrints(submission.name, submission.body).map(({ messageId }) => messageId)
  const minted = [...rest.messageIds]
  const messageIds = known.flatMap((message, index) => (message ? [given[index] ?? ''] : minted.splice(0, 1)))
  const notice = `${known.length - fresh.length} calls of the batch were handed in before under the same messageId and were left out.`
  return { entries: [...held, ...rest.entries], messageIds, added: rest.added, notices: [notice, ...rest.notices] }
}

interface Given {
  readonly givenHash: string
  /** Where the calls of a shortened batch stood in the one that was handed in. */
  readonly positions?: readonly number[]
}

function write(
  { ledger, destination, addIds }: IntakeOptions,
  { name, body, strict }: Submission,
  { givenHash, positions }: Given,
): Intake {
  const { text, added: inBody } = addIds ? identify(name, body, mint) : { text: body.text, added: [] }
  const added = inBody.map((each) => ({ ...each, at: each.at.replace(/\d+/, (index) => `${positions?.[Number(index)] ?? index}`) }))
  const sent = readBody(text)
  const parts = partsOf(name, sent)
  const prints = callPrints(name, body)
  const sentPrints = callPrints(name, sent)
  const messageIds = sentPrints.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]))
  ledger.supersede(destination, messageIds)
  const deliveryId = randomUUID()
  const entries = parts.map((part, index) => {
    const calls = sentPrints.slice(part.first, part.last + 1)
    return ledger.add(destination, {
      deliveryId,
      part: index,
      call: name,
      strict,
      identified: calls.length > 0 && calls.every(({ messageId }) => messageId !== undefined),
      body: part.text,
      givenHash,
      persons: personsIn(name, readBody(part.text).json),
      messageIds: calls.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId])),
      added: JSON.stringify(index === 0 ? added : []),
      messages: calls.flatMap(({ messageId, hash }, offset) =>
        messageId === undefined ? [] : [{ messageId, givenHash: prints[part.first + offset]?.hash ?? hash, sentHash: hash }],
      ),
    })
  })
  const notices = parts.length > 1 ? [`The batch is over 500 KB and goes in ${parts.length} requests, in order.`] : []
  return { entries, messageIds, added, notices }
}

function mint(): Identity {
  return { messageId: randomUUID(), timestamp: new Date().toISOString() }
}

function unique(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()].sort((a, b) => a.id - b.id)
}

function readAdded({ added }: Entry): Added[] {
  const parsed: unknown = JSON.parse(added)
  return Array.isArray(parsed) ? parsed.filter(isAdded) : []
}

function isAdded(value: unknown): value is Added {
  return typeof value === 'object' && value !== null && 'at' in value
}
