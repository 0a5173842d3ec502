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
    // Not imported, because loading it takes longer than all else that a start needs of Node.
    const { createHmac } = process.getBuiltinModule('node:crypto')
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
