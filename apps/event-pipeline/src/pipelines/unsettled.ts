import { createHash } from 'node:crypto'
import type { CallName } from './call.ts'
import type { IdentifiedText } from './identity.ts'

/** How long a text is remembered, in milliseconds. */
const lifetime = 10 * 60 * 1000

/** How many texts are remembered at most; the oldest go first. */
const most = 1_000

interface Entry {
  readonly identified: IdentifiedText
  readonly until: number
}

/**
 * Bodies whose outcome is not known, with the ids under which they were sent. When a caller repeats such a call word for word, it
 * goes out under the same ids, and the vendor can tell that it is the same.
 */
export class UnsettledTexts {
  readonly #entries = new Map<string, Entry>()

  find(name: CallName, text: string): IdentifiedText | undefined {
    const entry = this.#entries.get(keyOf(name, text))
    return entry && entry.until > Date.now() ? entry.identified : undefined
  }

  add(name: CallName, text: string, identified: IdentifiedText): void {
    const key = keyOf(name, text)
    if (this.#entries.has(key)) return
    this.#entries.set(key, { identified, until: Date.now() + lifetime })
    const oldest = this.#entries.keys().next()
    if (this.#entries.size > most && !oldest.done) this.#entries.delete(oldest.value)
  }

  remove(name: CallName, text: string): void {
    this.#entries.delete(keyOf(name, text))
  }
}

function keyOf(name: CallName, text: string): string {
  return createHash('sha256').update(`${name}\n${text}`).digest('base64')
}
