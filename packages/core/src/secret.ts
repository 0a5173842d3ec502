import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'

/** A credential that cannot be printed by accident: text, JSON and `util.inspect` all show `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself, for the one header that carries it. */
  reveal(): string {
    return this.#value
  }

  /** A keyed hash that tells two credentials apart and gives neither away. */
  fingerprint(key: string): string {
    return createHmac('sha256', key).update(this.#value).digest('hex')
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
