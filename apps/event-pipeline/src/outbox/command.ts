import type { Courier } from './courier.ts'
import { isFor } from './counts.ts'
import type { Entry } from './entry.ts'
import type { Destination, Ledger } from './ledger.ts'

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
  const rows = ledger.undelivered().map((entry) => described(entry, destination))
  if (json) return { code: 0, text: JSON.stringify({ entries: rows }, null, 2) }
  if (rows.length === 0) return { code: 0, text: 'The outbox is empty: everything was delivered.' }
  const lines = rows.map(({ id, state, reason, call, attempts, created_at: at, message_ids: ids }) =>
    [`${id}`, `${state}${reason === null ? '' : ` (${reason})`}`, call, `${attempts} attempts`, at, ids].join('  '),
  )
  return { code: 0, text: lines.join('\n') }
}

function described(entry: Entry, destination: Destination) {
  const { id, state, reason, call, strict, attempts, http_status: status, message_ids: ids, body, origin, created_at: at } = entry
  const ours = isFor(entry, destination)
  return {
    id,
    state: ours ? state : 'parked',
    reason: ours ? reason : 'of another account',
    origin,
    call,
    strict: strict === 1,
    attempts,
    http_status: status,
    created_at: new Date(at).toISOString(),
    message_ids: ids,
    body,
  }
}

/** Opens what was put aside, sends everything that is open, and says what became of each entry. */
async function retry({ ledger, courier, destination }: OutboxAccess, id: number | undefined): Promise<Report> {
  const chosen = ledger.undelivered().filter((entry) => id === undefined || entry.id === id)
  const ours = chosen.filter((entry) => isFor(entry, destination))
  for (const entry of ours) ledger.reopened(entry.id)
  await courier.drain()
  const left = new Map(ledger.undelivered().map((entry) => [entry.id, entry]))
  const lines = chosen.map((entry) => {
    if (!ours.includes(entry)) return `${entry.id}  not sent: it belongs to another account or to the embedded default`
    const now = left.get(entry.id)
    return `${entry.id}  ${now ? `${now.state}${now.reason === null ? '' : ` (${now.reason})`}` : 'delivered'}`
  })
  if (lines.length === 0)
    return id === undefined ? { code: 0, text: 'Nothing is waiting.' } : { code: 1, text: `There is no entry ${id} to send.` }
  return { code: chosen.every((entry) => !left.has(entry.id)) ? 0 : 1, text: lines.join('\n') }
}

function drop({ ledger }: OutboxAccess, id: number): Report {
  return ledger.drop(id) ? { code: 0, text: `Entry ${id} is gone; it will not be sent.` } : { code: 1, text: `There is no entry ${id}.` }
}
