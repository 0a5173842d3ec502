import type { Clock } from '@mcp-toolkits/core/base'
import { count, quoteIfNeeded } from '@mcp-toolkits/core/errors'
import { maxAttempts } from '../pipelines/client.ts'
import { embeddedOrigin, keyName, otherKeys } from './adoption.ts'
import { failedAlone, hasFailedAlone } from './delivery-policy.ts'
import type { DeliveryWorker } from './delivery-worker.ts'
import { type Destination, type Entry, type EntryState, isSameDestination, type OutboxStore, type Tally } from './outbox-store.ts'

/** The `outbox` command's outbox and destination. */
export interface OutboxAccess {
  readonly store: OutboxStore
  readonly worker: DeliveryWorker
  readonly destination: Destination
  readonly clock: Clock
  /** Paths of damaged outboxes that were moved out of the way. */
  readonly damaged: readonly string[]
}

/** The output of a command, and its exit code: 0 for success, 1 for full or partial failure, 2 for wrong usage. */
export interface Report {
  readonly code: 0 | 1 | 2
  readonly text: string
}

const usage = 'outbox needs one of: list, retry [ID], drop ID, adopt [KEY].'

/** Runs `outbox list`, `outbox retry [ID]`, `outbox drop ID` or `outbox adopt [KEY]`. */
export async function outboxCommand(access: OutboxAccess, [verb, id, ...rest]: readonly string[], json: boolean): Promise<Report> {
  if (verb === 'adopt' && rest.length === 0) return adopt(access, id)
  if (rest.length > 0 || (id !== undefined && !/^\d+$/.test(id))) return { code: 2, text: usage }
  if (verb === 'list' && id === undefined) return list(access, json)
  if (verb === 'retry') return retry(access, id === undefined ? undefined : Number(id))
  if (verb === 'drop' && id !== undefined) return drop(access, Number(id))
  return { code: 2, text: usage }
}

/** Counts of entries by kind, for `status`. */
export async function outboxCounts({ store, destination }: OutboxAccess) {
  const tally = await store.tally()
  const isOurs = (each: Tally) => isSameDestination(each.destination, destination)
  const sum = (isCounted: (each: Tally) => boolean) => tally.filter(isCounted).reduce((total, { entries }) => total + entries, 0)
  const countOf = (state: EntryState) => sum((each) => isOurs(each) && each.state === state)
  return {
    waiting: countOf('open'),
    refused: countOf('refused'),
    parked: countOf('parked'),
    of_another_account: sum((each) => !isOurs(each)),
  }
}

/**
 * Lists other keys with stored events, which are not sent under the current key, or moves the events of one such key to it. The operator
 * names the key, because it may belong to a different workspace.
 */
async function adopt({ store, destination }: OutboxAccess, name: string | undefined): Promise<Report> {
  if (destination.origin === embeddedOrigin)
    return {
      code: 1,
      text: 'Set EVENT_PIPELINE_API_KEY to the key that is to send the events. Without it they would go to the embedded default.',
    }
  const others = await otherKeys(store, destination)
  const here = `the key in use at ${destination.origin}`
  if (name === undefined) {
    if (others.length === 0) return { code: 0, text: `Everything in the outbox was stored under ${here}.` }
    const lines = others.map(
      (each) => `${each.name}  ${count(each.entries, 'request')}  stored for another key at ${each.destination.origin}`,
    )
    const advice = `outbox adopt KEY hands them to ${here}. Do so only if both keys belong to one workspace: the events go to the workspace of the key in use.`
    return { code: 0, text: [...lines, advice].join('\n') }
  }
  const other = others.find((each) => each.name === name)
  if (!other) return { code: 1, text: `The outbox holds nothing stored under a key ${quoteIfNeeded(name)}. outbox adopt lists the keys.` }
  const adopted = await store.adopt(other.destination, destination)
  const left = other.entries - adopted
  const rest =
    left > 0 ? ` ${count(left, 'request')} ${left === 1 ? 'is' : 'are'} being sent under the other key: repeat the command later.` : ''
  return {
    code: left > 0 ? 1 : 0,
    text: `${count(adopted, 'request')} handed to ${here}. A running server sends what waits; outbox retry sends it now.${rest}`,
  }
}

async function list({ store, destination, damaged, clock }: OutboxAccess, json: boolean): Promise<Report> {
  const undelivered = await store.undelivered()
  const entries = await Promise.all(
    undelivered.map(async (entry) => ({ ...entry, nextAttemptAt: await nextAttemptAt(entry, { store, clock }) })),
  )
  if (json) {
    const report = { entries: entries.map((entry) => toJson(entry, destination)), ...(damaged.length > 0 && { damaged_outboxes: damaged }) }
    return { code: 0, text: JSON.stringify(report, null, 2) }
  }
  const lines = entries.flatMap((entry) => [toLine(entry, destination), ...errorLines(entry)])
  if (entries.length === 0) lines.push('No events are waiting in the outbox.')
  return { code: 0, text: [...lines, ...damaged.map(damagedLine)].join('\n') }
}

function damagedLine(path: string): string {
  return `An outbox was damaged and is kept as ${path}: it may contain events that were not sent. Delete it once you need nothing in it.`
}

/** Time at which a waiting entry may be sent next; undefined if it may be sent at once or is parked. */
async function nextAttemptAt({ id, state }: Entry, { store, clock }: Pick<OutboxAccess, 'store' | 'clock'>): Promise<string | undefined> {
  const { ms } = state === 'open' ? await store.waitOf(id) : { ms: 0 }
  return ms > 0 ? new Date(clock.now() + ms).toISOString() : undefined
}

type ListedEntry = Entry & { readonly nextAttemptAt: string | undefined }

function toLine(entry: ListedEntry, destination: Destination): string {
  const { id, call, createdAt, messageIds } = entry
  const isOurs = isSameDestination(entry.destination, destination)
  const whose = entry.destination.account ? 'of a person' : `of another key, ${keyName(entry.destination)},`
  const account = isOurs ? '' : `${whose} at ${entry.destination.origin}`
  const columns = [
    `${id}`,
    stateOf(entry),
    call,
    attemptsOf(entry),
    entry.nextAttemptAt === undefined ? '' : `next attempt ${entry.nextAttemptAt}`,
    `stored ${new Date(createdAt).toISOString()}`,
    messageIds.slice(0, 3).map(quoteIfNeeded).join(' '),
    account,
  ]
  return columns.filter((column) => column !== '').join('  ')
}

function toJson(entry: ListedEntry, destination: Destination) {
  return {
    id: entry.id,
    state: entry.state,
    reason: entry.reason ?? null,
    of_another_account: !isSameDestination(entry.destination, destination),
    owner: entry.destination.account?.owner ?? (entry.owner === '' ? null : entry.owner),
    profile: entry.destination.account?.profile ?? null,
    origin: entry.destination.origin,
    call: entry.call,
    strict: entry.isStrict,
    attempts: entry.attempts,
    http_status: entry.httpStatus ?? null,
    last_error: entry.error?.message ?? null,
    next_attempt_at: entry.nextAttemptAt ?? null,
    created_at: new Date(entry.createdAt).toISOString(),
    message_ids: entry.messageIds,
    body: entry.body ?? null,
  }
}

/** True if an entry may be sent without being named: it is waiting, or the reason for parking it may have been fixed. */
function isSafeToRetry({ state, reason = 'cancelled' }: Entry): boolean {
  return state === 'open' || (state === 'parked' && ['unauthenticated', 'redirected', 'not_accepted'].includes(reason))
}

/** Sends all entries that are safe to send, or one entry in any state, and reports the outcome. */
async function retry({ store, worker, destination, clock }: OutboxAccess, id: number | undefined): Promise<Report> {
  const isOurs = (entry: Entry) => isSameDestination(entry.destination, destination)
  const selected = (await store.undelivered()).filter((entry) => (id === undefined ? isSafeToRetry(entry) : entry.id === id))
  const ours = selected.filter(isOurs)
  await store.retry(selected.filter((entry) => isOurs(entry) || entry.destination.account).map((entry) => entry.id))
  if (id === undefined) await worker.deliverDue()
  else for (const entry of ours) await worker.deliverOne(entry.id)
  const remaining = new Map((await store.undelivered()).map((entry) => [entry.id, entry]))
  if (selected.length === 0) return nothingSent(remaining.size, id)
  const outcomes = selected.map(async (entry) => {
    if (entry.destination.account) return [`${entry.id}  scheduled; a running server sends it if the person's API key is still stored`]
    if (!isOurs(entry))
      return [`${entry.id}  not sent: it was stored under another key or address; outbox adopt hands it to the key in use`]
    const current = remaining.get(entry.id)
    if (!current) return [`${entry.id}  delivered`]
    const until = id === undefined ? await nextAttemptAt(current, { store, clock }) : undefined
    const hint = until === undefined ? '' : ` until ${until}; outbox retry ${current.id} sends it now`
    return [`${current.id}  ${stateOf(current)}${hint}`, ...errorLines(current)]
  })
  const lines = (await Promise.all(outcomes)).flat()
  return { code: selected.every((entry) => !remaining.has(entry.id) || entry.destination.account) ? 0 : 1, text: lines.join('\n') }
}

function nothingSent(remaining: number, id: number | undefined): Report {
  if (id !== undefined) return { code: 1, text: `There is no entry ${id} to send.` }
  if (remaining === 0) return { code: 0, text: 'Nothing is waiting.' }
  return {
    code: 1,
    text: `Nothing was sent: ${remaining === 1 ? '1 entry needs' : `${remaining} entries need`} a decision. See outbox list, then outbox retry ID or outbox drop ID.`,
  }
}

async function drop({ store }: OutboxAccess, id: number): Promise<Report> {
  if (await store.drop(id)) return { code: 0, text: `Entry ${id} was dropped; it will not be sent.` }
  const [entry] = await store.entries([id])
  if (!entry) return { code: 1, text: `There is no entry ${id}.` }
  const text = entry.state === 'delivered' ? `Entry ${id} is already delivered.` : `Entry ${id} is being sent right now. Try again.`
  return { code: 1, text }
}

/** Describes attempts. A round is one call or one background delivery. Entries without messageIds get one attempt per round. */
function attemptsOf({ attempts, isIdentified }: Entry): string {
  if (attempts === 0) return 'not tried yet'
  return `${count(attempts, 'round')} of ${isIdentified ? `up to ${maxAttempts} tries` : '1 try'}`
}

function stateOf({ state, reason }: Entry): string {
  return `${state === 'open' ? 'waiting' : state}${reason === undefined ? '' : ` (${reason})`}`
}

function errorLines(entry: Entry): string[] {
  const { error, reason, id } = entry
  const alone = ` ${failedAlone} Look at its body with outbox list --json; then outbox retry ${id} or outbox drop ${id}.`
  const hint = reason === 'redirected' ? ' Check EVENT_PIPELINE_REGION.' : hasFailedAlone(entry) ? alone : ''
  return error ? [`   ${error.message}${hint}`] : []
}
