import { integer, type Store } from '@mcp-toolkits/store'
import { entryColumns, entryShape, type Entry } from './entry.ts'
import { unclaimed } from './schema.ts'

/** What the person who runs the server can do with the outbox. */
export class Operator {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Makes an entry due now, whatever its state, and the parts that were held back behind it; not one that is delivered or being sent. */
  retry(id: number): void {
    const heldBack = `delivery_id = (select delivery_id from entries where id = :id) and reason = 'earlier_part_refused'`
    this.#store.run(
      `update entries set state = 'open', reason = null, http_status = null, error = null, sender = null, settled_at = null, next_attempt_at = :now
       where (id = :id or (${heldBack})) and state != 'delivered' and (${unclaimed} or state != 'open')`,
      { id, now: Date.now() },
    )
  }

  /** Forgets an entry; false when there is none to forget, because it is delivered or being sent. */
  drop(id: number): boolean {
    const values = { id, now: Date.now() }
    const gone = `delete from entries where id = :id and state != 'delivered' and ${unclaimed} returning id`
    return this.#store.rows({ id: integer }, gone, values).length > 0
  }

  /** Everything that is not delivered, oldest first, of every destination. */
  waiting(): Entry[] {
    return this.#store.rows(entryShape, `select ${entryColumns} from entries where state != 'delivered' order by id`)
  }
}
