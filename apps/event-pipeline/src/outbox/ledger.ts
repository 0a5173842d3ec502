import { randomBytes, randomUUID } from 'node:crypto'
import { integer, openStore, text, type Store } from '@mcp-toolkits/store'
import type { CallName } from '../pipelines/call.ts'
import { entryColumns, entryShape, type Entry, type EntryState, type ParkReason } from './entry.ts'
import { migrations } from './schema.ts'

/** Where entries go: a base URL or `embedded`, and a keyed hash of the API key. An entry is only ever sent to its own. */
export interface Destination {
  readonly origin: string
  readonly keyHash: string
}

/** One request to be written down before its first attempt. */
export interface NewEntry {
  readonly deliveryId: string
  readonly part: number
  readonly call: CallName
  readonly strict: boolean
  readonly body: string
  readonly givenHash: string
  /** Whom it is about; entries about one person keep their order. */
  readonly person: string | undefined
  readonly messages: readonly { readonly messageId: string; readonly givenHash: string; readonly sentHash: string }[]
  readonly messageIds: readonly string[]
  readonly added: string
}

/** A call that an entry already holds. */
export interface KnownMessage {
  readonly entry: Entry
  readonly hashes: readonly string[]
}

/** How long a delivered id is remembered, in milliseconds: a repeat within it is recognised. */
const remembered = 7 * 24 * 60 * 60 * 1000

/** How long a sender counts as alive after its last sign of life, in milliseconds. */
export const senderLifetime = 5_000

const alive = `(select id from senders where alive_until > :now)`
const unclaimed = `(sender is null or sender not in ${alive})`
const waitingBefore = `exists (select 1 from entries as older where older.state = 'open' and older.id < entries.id
  and older.origin = entries.origin and older.key_hash = entries.key_hash
  and (older.sender is null or older.sender not in ${alive})
  and (older.person is null or entries.person is null or older.person = entries.person))`
const mine = `origin = :origin and key_hash = :keyHash`

/** The outbox as it stands on disk. Every method is one transaction; several processes may hold a ledger of one file. */
export class Ledger {
  readonly #store: Store
  readonly #sender = randomUUID()

  constructor(file: string) {
    this.#store = openStore({ file, migrations })
    this.beat()
    this.#store.run(`delete from entries where state = 'delivered' and settled_at < :before`, { before: Date.now() - remembered })
  }

  /** The key under which API keys are hashed; made once per file. */
  get hashKey(): string {
    this.#store.run(`insert or ignore into secrets values ('hash', :value)`, { value: randomBytes(32).toString('hex') })
    return this.#store.rows({ value: text }, `select value from secrets where name = 'hash'`)[0]?.value ?? ''
  }

  /** Says that this process lives, so that nobody takes over what it is sending. */
  beat(): void {
    this.#store.run(`insert into senders values (:id, :until) on conflict (id) do update set alive_until = :until`, {
      id: this.#sender,
      until: Date.now() + senderLifetime,
    })
  }

  /** Does several things as one. */
  atomically<T>(work: () => T): T {
    return this.#store.write(work)
  }

  /** What is known of a message id at a destination; refused entries do not count, their calls may be mended. */
  known({ origin, keyHash }: Destination, messageId: string): KnownMessage | undefined {
    const [found] = this.#store.rows(
      { ...entryShape, given_hash: text, sent_hash: text },
      `select ${entryColumns}, messages.given_hash as given_hash, messages.sent_hash as sent_hash
       from messages join (select ${entryColumns} from entries) as entry on entry.id = messages.entry_id
       where message_id = :messageId and ${mine} and state != 'refused' order by id desc limit 1`,
      { origin, keyHash, messageId },
    )
    return found && { entry: found, hashes: [found.given_hash, found.sent_hash] }
  }

  /** The latest delivery of the same text since `since`, in any state. */
  latestOf({ origin, keyHash }: Destination, givenHash: string, since: number): Entry[] {
    return this.#store.rows(
      entryShape,
      `select ${entryColumns} from entries where delivery_id = (select delivery_id from entries
         where given_hash = :givenHash and ${mine} and created_at > :since order by id desc limit 1) order by part`,
      { origin, keyHash, givenHash, since },
    )
  }

  /** Whether a call that still runs is waiting for an entry, in this process or another. */
  isAwaited(id: number): boolean {
    const values = { id, now: Date.now() }
    return (
      this.#store.rows({ id: integer }, `select id from entries where id = :id and in_call = 1 and not ${unclaimed}`, values).length > 0
    )
  }

  /** Writes an entry down. It is this process's to send at once, unless an older one about the same person waits. */
  add({ origin, keyHash }: Destination, entry: NewEntry): Entry {
    const now = Date.now()
    const id = this.#store.run(
      `insert into entries (delivery_id, part, origin, key_hash, call, strict, body, given_hash, person, state, message_ids, added, next_attempt_at, created_at)
       values (:deliveryId, :part, :origin, :keyHash, :call, :strict, :body, :givenHash, :person, 'open', :messageIds, :added, :now, :now)`,
      {
        deliveryId: entry.deliveryId,
        part: entry.part,
        origin,
        keyHash,
        call: entry.call,
        strict: entry.strict ? 1 : 0,
        body: entry.body,
        givenHash: entry.givenHash,
        person: entry.person ?? null,
        messageIds: JSON.stringify(entry.messageIds),
        added: entry.added,
        now,
      },
    )
    for (const message of entry.messages) {
      this.#store.run(`insert into messages values (:id, :messageId, :givenHash, :sentHash)`, { id, ...message })
    }
    return this.entry(id)
  }

  entry(id: number): Entry {
    const [found] = this.#store.rows(entryShape, `select ${entryColumns} from entries where id = :id`, { id })
    if (!found) throw new Error(`Entry ${id} is gone.`)
    return found
  }

  /** All parts of a delivery, in order. */
  parts(deliveryId: string): Entry[] {
    return this.#store.rows(entryShape, `select ${entryColumns} from entries where delivery_id = :deliveryId order by part`, { deliveryId })
  }

  /** Takes one entry to send it; false when somebody is at it, it is settled or not due, or an older one about the same person waits. */
  claim(id: number, by: 'call' | 'drain'): boolean {
    const claimed = this.#store.rows(
      { id: integer },
      `update entries set sender = :sender, in_call = :inCall, attempts = attempts + 1
       where id = :id and state = 'open' and next_attempt_at <= :now and ${unclaimed} and not ${waitingBefore} returning id`,
      { id, sender: this.#sender, inCall: by === 'call' ? 1 : 0, now: Date.now() },
    )
    return claimed.length > 0
  }

  /** Notes that a caller has been told what became of a delivery, so that the same text again is a new event. */
  answered(deliveryId: string): void {
    this.#store.run(`update entries set answered = 1 where delivery_id = :deliveryId and answered = 0`, { deliveryId })
  }

  /** The oldest entry whose time has come and that nobody is sending. */
  next({ origin, keyHash }: Destination): Entry | undefined {
    return this.#store.rows(
      entryShape,
      `select ${entryColumns} from entries where state = 'open' and ${mine} and next_attempt_at <= :now and ${unclaimed} and not ${waitingBefore}
       order by id limit 1`,
      { origin, keyHash, now: Date.now() },
    )[0]
  }

  /** When the next open entry is due, in milliseconds since 1970; undefined when none is open. */
  nextDue({ origin, keyHash }: Destination): number | undefined {
    const [due] = this.#store.rows(
      { due: integer },
      `select next_attempt_at as due from entries where state = 'open' and ${mine} order by next_attempt_at limit 1`,
      { origin, keyHash },
    )
    return due?.due
  }

  /** Becomes the one process that drains; false while another that lives is it. */
  lease(): boolean {
    const holder = this.#sender
    const held = this.#store.rows(
      { holder: text },
      `insert into leases values ('drain', :holder) on conflict (name) do update set holder = :holder
       where holder = :holder or holder not in (select id from senders where alive_until > :now) returning holder`,
      { holder, now: Date.now() },
    )
    return held.length > 0
  }

  endLease(): void {
    this.#store.run(`delete from leases where holder = :holder`, { holder: this.#sender })
  }

  /** The vendor took it. The body is forgotten, the ids and hashes are kept. */
  delivered(id: number, status: number): void {
    this.#settle(id, { state: 'delivered', reason: null, status })
    this.#store.run(`update entries set body = null where id = :id`, { id })
  }

  /** The vendor will not have it; the body is kept so that it can be mended. */
  refused(id: number, status: number | null): void {
    this.#settle(id, { state: 'refused', reason: null, status })
  }

  parked(id: number, reason: ParkReason, status: number | null = null): void {
    this.#settle(id, { state: 'parked', reason, status })
  }

  /** Puts an open entry aside, unless somebody is sending it. */
  parkedIfIdle(id: number, reason: ParkReason): void {
    const idle = `id = :id and state = 'open' and ${unclaimed}`
    this.#store.run(`update entries set state = 'parked', reason = :reason, settled_at = :now where ${idle}`, {
      id,
      reason,
      now: Date.now(),
    })
  }

  /** It stays to be sent, not before `at`. */
  postponed(id: number, at: number): void {
    this.#store.run(`update entries set sender = null, next_attempt_at = :at where id = :id and state = 'open'`, { id, at })
  }

  /** Opens an entry that was put aside, so that it is sent again. */
  reopened(id: number): void {
    this.#store.run(
      `update entries set state = 'open', reason = null, http_status = null, sender = null, settled_at = null, next_attempt_at = :now
       where id = :id and state != 'delivered'`,
      { id, now: Date.now() },
    )
  }

  drop(id: number): boolean {
    return this.#store.rows({ id: integer }, `delete from entries where id = :id returning id`, { id }).length > 0
  }

  /** Everything that is not delivered, oldest first, of every destination. */
  undelivered(): Entry[] {
    return this.#store.rows(entryShape, `select ${entryColumns} from entries where state != 'delivered' order by id`)
  }

  close(): void {
    this.#store.write(() => {
      this.endLease()
      this.#store.run(`update entries set sender = null where sender = :sender`, { sender: this.#sender })
      this.#store.run(`delete from senders where id = :sender or alive_until < :now`, { sender: this.#sender, now: Date.now() })
    })
    this.#store.close()
  }

  #settle(id: number, { state, reason, status }: { state: EntryState; reason: string | null; status: number | null }): void {
    this.#store.run(
      `update entries set state = :state, reason = :reason, http_status = :status, sender = null, settled_at = :now where id = :id`,
      { id, state, reason, status, now: Date.now() },
    )
  }
}
