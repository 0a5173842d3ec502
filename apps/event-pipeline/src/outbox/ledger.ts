import { randomBytes } from 'node:crypto'
import { integer, openStore, nullable, text, type Store } from '@mcp-toolkits/store'
import { entryColumns, entryShape, type Destination, type Entry, type KnownMessage, type NewEntry } from './entry.ts'
import { Operator } from './operator.ts'
import { alive, blocked, migrations, ours, unclaimed } from './schema.ts'
import { Senders } from './senders.ts'
import type { Verdict } from './verdict.ts'

/** How long a delivered id is remembered, in milliseconds: a repeat within it is recognised. */
const remembered = 7 * 24 * 60 * 60 * 1000

/** How many entries are forgotten at a time, so that forgetting holds nobody up. */
const forgottenAtOnce = 500
const forgetEvery = 60_000

/** The outbox as it stands on disk. Every method is one transaction; several processes may hold a ledger of one file. */
export class Ledger {
  readonly senders: Senders
  readonly operator: Operator
  readonly #store: Store
  /** How many calls of this process wait for an entry. */
  readonly #waiting = new Map<number, number>()
  #forgotAt = 0

  constructor(file: string) {
    this.#store = openStore({ file, migrations })
    this.senders = new Senders(this.#store)
    this.operator = new Operator(this.#store)
    this.forget()
  }

  /** The key under which API keys are hashed; made once per file. */
  get hashKey(): string {
    this.#store.run(`insert or ignore into secrets values ('hash', :value)`, { value: randomBytes(32).toString('hex') })
    return this.#store.rows({ value: text }, `select value from secrets where name = 'hash'`)[0]?.value ?? ''
  }

  /** Does several things as one. */
  atomically<T>(work: () => T): T {
    return this.#store.write(work)
  }

  /** Forgets some of what was delivered long ago, once a minute at most, and gives up what died with its sender and has no ids. */
  forget(): void {
    const now = Date.now()
    if (now - this.#forgotAt < forgetEvery) return
    this.#forgotAt = now
    const old = `select id from entries where state = 'delivered' and settled_at < :before limit :most`
    this.#store.run(`delete from entries where id in (${old})`, { before: now - remembered, most: forgottenAtOnce })
    this.#store.run(
      `update entries set state = 'parked', reason = 'unknown_outcome', error = null, http_status = null, sender = null, settled_at = :now
       where state = 'open' and identified = 0 and sender is not null and sender not in ${alive}`,
      { now },
    )
  }

  /** What is known of a message id at a destination; refused entries do not count, their calls may be mended. */
  known({ origin, keyHash }: Destination, messageId: string): KnownMessage | undefined {
    const [found] = this.#store.rows(
      { ...entryShape, given_hash: text, sent_hash: text },
      `select ${entryColumns}, messages.given_hash as given_hash, messages.sent_hash as sent_hash
       from messages join (select ${entryColumns} from entries) as entry on entry.id = messages.entry_id
       where message_id = :messageId and ${ours} and state != 'refused' and (state != 'delivered' or settled_at > :since) order by id desc limit 1`,
      { origin, keyHash, messageId, since: Date.now() - remembered },
    )
    return found && { entry: found, hashes: [found.given_hash, found.sent_hash] }
  }

  /** The latest delivery of the same text since `since`, in any state. */
  latestOf({ origin, keyHash }: Destination, givenHash: string, since: number): Entry[] {
    return this.#store.rows(
      entryShape,
      `select ${entryColumns} from entries where delivery_id = (select delivery_id from entries
         where given_hash = :givenHash and ${ours} and created_at > :since order by id desc limit 1) order by part`,
      { origin, keyHash, givenHash, since },
    )
  }

  /** Whether a call that still runs waits for an entry, in this process or another. */
  isAwaited(id: number): boolean {
    if ((this.#waiting.get(id) ?? 0) > 0) return true
    const values = { id, now: Date.now(), me: this.senders.id }
    return (
      this.#store.rows({ id: integer }, `select id from entries where id = :id and awaited_by != :me and awaited_by in ${alive}`, values)
        .length > 0
    )
  }

  /** Whether several calls of this process wait for an entry, so that one that gives up does not speak for all. */
  isShared(id: number): boolean {
    return (this.#waiting.get(id) ?? 0) > 1
  }

  /** Writes an entry down; the call that runs awaits it. Part of a transaction in which this process has said that it lives. */
  add({ origin, keyHash }: Destination, entry: NewEntry): Entry {
    const { deliveryId, part, call, body, givenHash, added } = entry
    const flags = { strict: entry.strict ? 1 : 0, identified: entry.identified ? 1 : 0 }
    const id = this.#store.run(
      `insert into entries (delivery_id, part, origin, key_hash, call, strict, identified, body, given_hash, message_ids, added, state,
         next_attempt_at, created_at, awaited_by)
       values (:deliveryId, :part, :origin, :keyHash, :call, :strict, :identified, :body, :givenHash, :messageIds, :added, 'open', :now, :now, :sender)`,
      {
        deliveryId,
        part,
        origin,
        keyHash,
        call,
        ...flags,
        body,
        givenHash,
        messageIds: JSON.stringify(entry.messageIds),
        added,
        now: Date.now(),
        sender: this.senders.id,
      },
    )
    for (const message of entry.messages) {
      this.#store.run(`insert into messages values (:id, :messageId, :givenHash, :sentHash)`, { id, ...message })
    }
    for (const person of new Set(entry.persons)) this.#store.run(`insert into persons values (:id, :person)`, { id, person })
    return this.#existing(id)
  }

  /** Forgets refused entries whose calls have all been handed in again. */
  supersede({ origin, keyHash }: Destination, messageIds: readonly string[]): void {
    const ids = JSON.stringify(messageIds)
    this.#store.run(
      `delete from entries where state = 'refused' and ${ours} and message_ids != '[]'
         and not exists (select 1 from json_each(entries.message_ids) where value not in (select value from json_each(:ids)))`,
      { origin, keyHash, ids },
    )
  }

  /** The entry as it is now; undefined when it has been dropped. */
  entry(id: number): Entry | undefined {
    return this.#store.rows(entryShape, `select ${entryColumns} from entries where id = :id`, { id })[0]
  }

  /** A call attaches itself to an entry: what was put aside is opened again, and strict validation may be added. */
  await(id: number, strict: boolean): void {
    this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1)
    this.#store.write(() => {
      this.senders.beat()
      this.#store.run(`update entries set awaited_by = :sender where id = :id`, { id, sender: this.senders.id })
      this.#store.run(
        `update entries set strict = max(strict, :strict), next_attempt_at = case state when 'open' then next_attempt_at else :now end,
           http_status = case state when 'open' then http_status end, error = case state when 'open' then error end,
           state = 'open', reason = null, sender = null, settled_at = null
         where id = :id and state != 'delivered' and ${unclaimed}`,
        { id, strict: strict ? 1 : 0, now: Date.now() },
      )
    })
  }

  /** Notes that callers have been told what became of entries; the same text again is a new event. */
  answered(ids: readonly number[]): void {
    this.#store.write(() => {
      for (const id of ids) this.#store.run(`update entries set answered = 1, awaited_by = null where id = :id`, { id })
    })
  }

  /** Takes one entry to send it; undefined when somebody is at it, it is settled or not due, or it has to wait for an older one. */
  claim(id: number, by: 'call' | 'drain'): Entry | undefined {
    return this.#store.write(() => {
      this.senders.beat()
      return this.#store.rows(
        entryShape,
        `update entries set sender = :sender, in_call = :inCall, attempts = attempts + 1
         where id = :id and state = 'open' and next_attempt_at <= :now and ${unclaimed} and not ${blocked} returning ${entryColumns}`,
        { id, sender: this.senders.id, inCall: by === 'call' ? 1 : 0, now: Date.now() },
      )[0]
    })
  }

  /** The oldest entry whose time has come, that nobody is sending, and that has to wait for no other. */
  next({ origin, keyHash }: Destination): Entry | undefined {
    return this.#store.rows(
      entryShape,
      `select ${entryColumns} from entries where state = 'open' and ${ours} and next_attempt_at <= :now and ${unclaimed} and not ${blocked}
       order by id limit 1`,
      { origin, keyHash, now: Date.now() },
    )[0]
  }

  /** Whether a claim would succeed; a look that writes nothing. */
  isClaimable(id: number): boolean {
    const free = `state = 'open' and next_attempt_at <= :now and ${unclaimed} and not ${blocked}`
    return this.#store.rows({ id: integer }, `select id from entries where id = :id and ${free}`, { id, now: Date.now() }).length > 0
  }

  /**
   * When there is something to look at, in milliseconds since 1970: an entry is due, or another process that was sending one may have
   * died. Undefined when nothing is open that this process is not sending itself.
   */
  nextDue({ origin, keyHash }: Destination): number | undefined {
    const lapse = `coalesce((select alive_until from senders where senders.id = entries.sender), 0)`
    const [due] = this.#store.rows(
      { due: nullable(integer) },
      `select min(case when ${unclaimed} then next_attempt_at else max(next_attempt_at, ${lapse} + 1) end) as due
       from entries where state = 'open' and ${ours} and (sender is null or sender != :me) and not ${blocked}
         and (identified = 1 or sender is null)`,
      { origin, keyHash, now: Date.now(), me: this.senders.id },
    )
    return due?.due ?? undefined
  }

  /** Until when an entry has to wait at least, itself or for older ones, in milliseconds since 1970. */
  waitsUntil(id: number): number {
    const [found] = this.#store.rows(
      { own: integer, older: nullable(integer) },
      `select mine.next_attempt_at as own, (select max(older.next_attempt_at) from entries as older where older.state = 'open' and older.id < mine.id
         and older.origin = mine.origin and older.key_hash = mine.key_hash and (older.delivery_id = mine.delivery_id
           or exists (select 1 from persons as hers join persons as his on his.person = hers.person
             where hers.entry_id = older.id and his.entry_id = mine.id))) as older
       from entries as mine where id = :id`,
      { id },
    )
    return found ? Math.max(found.own, found.older ?? 0) : 0
  }

  /** The vendor took it. The body is forgotten, the ids and hashes are kept. */
  delivered(id: number, status: number): void {
    const values = { id, status, now: Date.now(), sender: this.senders.id }
    this.#store.write(() => {
      this.#store.run(
        `update entries set state = 'delivered', reason = null, error = null, body = null, http_status = :status, sender = null, settled_at = :now
       where id = :id and sender = :sender`,
        values,
      )
      this.#store.run(`delete from persons where entry_id = :id`, { id })
    })
  }

  /** The vendor did not take it. What a caller is told of it is kept, and the later parts of a delivery wait with a refused one. */
  undelivered(id: number, verdict: Verdict, told: { readonly error: string | null; readonly status: number | null }): void {
    const mine = `id = :id and sender = :sender`
    const now = Date.now()
    if (verdict.state === 'open') {
      // An attempt that was broken off from here says nothing of the vendor, so what the one before it said stays.
      const failure = told.error === null ? '' : `, error = :error, http_status = :status`
      this.#store.run(`update entries set sender = null, next_attempt_at = :at${failure} where ${mine}`, {
        id,
        sender: this.senders.id,
        at: now + verdict.restMs,
        ...(told.error !== null && told),
      })
      return
    }
    const reason = verdict.state === 'parked' ? verdict.reason : null
    this.#store.write(() => {
      const settled = `update entries set state = :state, reason = :reason, error = :error, http_status = :status, sender = null, settled_at = :now`
      const values = { state: verdict.state, reason, ...told, now }
      const done = this.#store.rows({ id: integer }, `${settled} where ${mine} returning id`, { ...values, id, sender: this.senders.id })
      if (done.length > 0 && reason !== 'cancelled') this.#holdBackLaterParts(id, now)
    })
  }

  #holdBackLaterParts(id: number, now: number): void {
    this.#store.run(
      `update entries set state = 'parked', reason = 'earlier_part_refused', error = null, http_status = null, settled_at = :now where state = 'open' and ${unclaimed}
         and delivery_id = (select delivery_id from entries where id = :id) and part > (select part from entries where id = :id)`,
      { id, now },
    )
  }

  /** Puts an entry aside whose caller gave up before anybody sent it; one that was promised to be sent stays. */
  cancelled(id: number): void {
    if (this.#waiting.has(id)) return
    this.#store.run(`update entries set awaited_by = null where id = :id`, { id })
    this.#store.run(
      `update entries set state = case answered when 0 then 'parked' else state end,
         reason = case answered when 0 then 'cancelled' end, settled_at = case answered when 0 then :now end
       where id = :id and state = 'open' and ${unclaimed}`,
      { id, now: Date.now() },
    )
  }

  close(): void {
    this.#store.write(() => {
      this.senders.leave()
    })
    this.#store.close()
  }

  /** A call of this process waits for an entry no more; said once, however it ended. */
  leave(id: number): void {
    const left = (this.#waiting.get(id) ?? 1) - 1
    if (left > 0) this.#waiting.set(id, left)
    else this.#waiting.delete(id)
  }

  #existing(id: number): Entry {
    const found = this.entry(id)
    if (!found) throw new Error(`Entry ${id} is gone.`)
    return found
  }
}
