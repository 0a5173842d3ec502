import { createHash } from 'node:crypto'

/** Encrypts what rows hold of callers' data, so that neither the tables nor a backup of them can be read without a key. */
export interface Sealer {
  /** The sealed bytes open with the same context only: where they are and whose they are. */
  readonly seal: (text: string, context: string) => Uint8Array
  /** Throws for bytes that were changed, or sealed with an unknown key or another context. */
  readonly open: (sealed: Uint8Array, context: string) => string
  /** The same text sealed with the present key; undefined when it is already. Throws as `open` does. */
  readonly reseal: (sealed: Uint8Array, context: string) => Uint8Array | undefined
  /** The same for equal texts, and of no use to those who do not have the key. */
  readonly digest: (text: string) => string
}

/** Keeps texts as they are, for stores that only their owner can read. */
export const plainSealer: Sealer = {
  seal: (text) => Buffer.from(text),
  open: (sealed) => Buffer.from(sealed).toString(),
  reseal: () => undefined,
  digest: (text) => createHash('sha256').update(text).digest('base64url'),
}
