import { mostTries } from '../pipelines/client.ts'
import type { Courier } from './courier.ts'
import { isFor, messageIdsIn, type Destination, type Entry } from './entry.ts'
import { lastFailureOf } from './last-error.ts'
import type { Ledger } from './ledger.ts'

/** What the `outbox` command works on. */
export interface OutboxAccess {
  readonly ledger: Ledger
  readonly courier: Courier
  readonly destination: Destination
}

/** What a command prints, and its exit code: 0 done, 1 not all of it could be done, 2 it was not understood. */
export interface Report {
  readonly code: 0 | 1 | 2
  readonly text: string
}

const usage = 'outbox needs one of: list, retry [ID], drop ID.'

/** Runs `outbox list`, `outbox retry [ID]` or `outbox drop ID`. */
export async function outboxCommand(access: OutboxAccess, [verb, id, ...rest]: readonly string[], json: boolean): Promise<Report> {
  if (rest.length > 0 || (id !== undefined && !/^\d+$/.test(id))) return { code: 2, text: usage }
  if (verb === 'list' && id === undefined) return list(access, json)
  if (verb === 'retry') return retry(access, id === undefined ? undefined : Number(id))
  if (verb === 'drop' && id !== undefined) return drop(access, Number(id))
  return { code: 2, text: usage }
}

function list({ ledger, destination }: OutboxAccess, json: boolean): Report {
  const entries = ledger.operator.waiting()
  if (json) return { code: 0, text: JSON.stringify({ entries: entries.map((entry) => described(entry, destination)) }, null, 2) }
  if (entries.length === 0) return { code: 0, text: 'The outbox is empty: everything was delivered.' }
  const lines = entries.map((entry) => {
    const { id, call, created_at: at, origin } = entry
    const whose = isFor(entry, destination) ? '' : `of another account (${origin})`
    const line = [
      `${id}`,
      stateOf(entry),
      call,
      triesOf(entry),
      new Date(at).toISOString(),
      messageIdsIn(entry).slice(0, 3).join(' '),
      whose,
    ]
    return [line.join('  ').trimEnd(), ...failureLine(entry)].join('\n')
  })
  return { code: 0, text: lines.join('\n') }
}

function described(entry: Entry, destination: Destination) {
  const { id, state, reason, call, strict, attempts, http_status: status, body, origin, created_at: at } = entry
  return {
    id,
    state,
    reason,
    of_another_account: !isFor(entry, destination),
    origin,
    call,
    strict: strict === 1,
    attempts,
    http_status: status,
    last_error: lastFailureOf(entry) ?? null,
    created_at: new Date(at).toISOString(),
    message_ids: messageIdsIn(entry),
    body,
  }
}

/** What can be sent without being asked about: it waits, or what put it aside may have been mended since. */
function isSafe({ state, reason }: Entry): boolean {
  return state === 'open' || (state === 'parked' && ['unauthenticated', 'redirected', 'not_accepted'].includes(reason ?? ''))
}

/** Sends what is safe to send, or one entry whatever its state, and says what became of it. */
async function retry(access: OutboxAccess, id: number | undefined): Promise<Report> {
  const { ledger, courier, destination } = access
  const chosen = ledger.operator.waiting().filter((entry) => (id === undefined ? isSafe(entry) : entry.id === id))
  const ours = chosen.filter((entry) => isFor(entry, destination))
  for (const entry of ours) ledger.operator.retry(entry.id)
  if (id === undefined) await courier.drain()
  else for (const entry of ours) await courier.sendOnly(entry.id)
  const left = new Map(ledger.operator.waiting().map((entry) => [entry.id, entry]))
  const lines = chosen.map((entry) => {
    if (!ours.includes(entry))
      return `${entry.id}  not sent: it was taken in under another key or address and is only ever sent there; to send it from here, hand it in again`
    const now = left.get(entry.id)
    return now ? [`${entry.id}  ${stateOf(now)}`, ...failureLine(now)].join('\n') : `${entry.id}  delivered`
  })
  if (lines.length === 0) return nothingSent(left.size, id)
  return { code: chosen.every((entry) => !left.has(entry.id)) ? 0 : 1, text: lines.join('\n') }
}

function nothingSent(left: number, id: number | undefined): Report {
  if (id !== undefined) return { code: 1, text: `There is no entry ${id} to send.` }
  if (left === 0) return { code: 0, text: 'Nothing is waiting.' }
  return { code: 1, text: `Nothing can be sent without asking; ${left} put aside: see outbox list, and retry or drop them one by one.` }
}

/** A round is what one call or one turn of the background does; what has no messageId is sent once in it. */
function triesOf({ attempts, identified }: Entry): string {
  if (attempts === 0) return 'not tried yet'
  const rounds = attempts === 1 ? '1 round' : `${attempts} rounds`
  return identified === 1 ? `${rounds} of up to ${mostTries} tries` : `${rounds} of 1 try`
}

function failureLine(entry: Entry): string[] {
  const failure = lastFailureOf(entry)
  return failure === undefined ? [] : [`   ${failure}`]
}

function stateOf({ state, reason }: Pick<Entry, 'state' | 'reason'>): string {
  return `${state === 'open' ? 'waiting' : state}${reason === null ? '' : ` (${reason})`}`
}

function drop({ ledger }: OutboxAccess, id: number): Report {
  if (ledger.operator.drop(id)) return { code: 0, text: `Entry ${id} is gone; it will not be sent.` }
  const there = ledger.entry(id)
  if (!there) return { code: 1, text: `There is no entry ${id}.` }
  return {
    code: 1,
    text: there.state === 'delivered' ? `Entry ${id} is delivered already.` : `Entry ${id} is being sent right now. Try again.`,
  }
}
