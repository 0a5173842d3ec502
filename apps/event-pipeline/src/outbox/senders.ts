import { randomUUID } from 'node:crypto'
import { text, type Store } from '@mcp-toolkits/store'
import { alive } from './schema.ts'

/** How long a sender counts as alive after its last sign of life, in milliseconds. */
export const senderLifetime = 5_000

/** This process among those that send from one outbox: its signs of life, and the lease that lets one of them drain. */
export class Senders {
  readonly id = randomUUID()
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Says that this process lives, so that nobody takes over what it is sending. */
  beat(): void {
    this.#store.run(`insert into senders values (:id, :until) on conflict (id) do update set alive_until = :until`, {
      id: this.id,
      until: Date.now() + senderLifetime,
    })
  }

  /** Becomes the one process that drains; false while another that lives is it. */
  lease(): boolean {
    return this.#store.write(() => {
      this.beat()
      const held = this.#store.rows(
        { holder: text },
        `insert into leases values ('drain', :holder) on conflict (name) do update set holder = :holder
         where holder = :holder or holder not in ${alive} returning holder`,
        { holder: this.id, now: Date.now() },
      )
      return held.length > 0
    })
  }

  endLease(): void {
    this.#store.run(`delete from leases where holder = :holder`, { holder: this.id })
  }

  /** Takes this process and those that died out of the list. */
  leave(): void {
    this.endLease()
    this.#store.run(`update entries set sender = null where sender = :sender and identified = 1`, { sender: this.id })
    this.#store.run(`delete from senders where id = :sender or alive_until < :now`, { sender: this.id, now: Date.now() })
  }
}
