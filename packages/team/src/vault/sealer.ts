import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { StoreError } from '@mcp-toolkits/sqlite'

/** Encrypts callers' data in rows, so that neither the tables nor their backups can be read without a key. */
export interface Sealer {
  /** The sealed bytes can be opened only with the same context: their place and owner. */
  readonly seal: (text: string, context: string) => Uint8Array
  /** Throws for changed bytes, or bytes sealed with an unknown key or a different context. */
  readonly open: (sealed: Uint8Array, context: string) => string
  /** The same text sealed with the current key; undefined if it already is. Throws like `open`. */
  readonly reseal: (sealed: Uint8Array, context: string) => Uint8Array | undefined
  /** Equal for equal text, and useless without the key. */
  readonly digest: (text: string) => string
}

/** Leaves text unsealed, for stores that only their owner can read. */
export const plainSealer: Sealer = {
  seal: (text) => Buffer.from(text),
  open: (sealed) => Buffer.from(sealed).toString(),
  reseal: () => undefined,
  digest: (text) => createHash('sha256').update(text).digest('base64url'),
}

/** A key that the operator gives to all replicas. Each row names its key. */
export interface VaultKey {
  readonly id: string
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

const keyLength = 32
const nonceLength = 12
const tagLength = 16
const format = 1

/** Reads keys in the operator's format: `id:base64`, comma-separated. Throws `RangeError` with a message that repeats only ids. */
export function readVaultKeys(text: string): readonly VaultKey[] {
  const keys = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readVaultKey)
  if (keys.length === 0) throw new RangeError('It contains no key.')
  const repeated = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index)
  if (repeated) throw new RangeError(`Two keys have the id ${repeated.id}.`)
  return keys
}

function readVaultKey(text: string, index: number): VaultKey {
  const [, id, encoded = ''] = /^([\w.-]{1,32}):([A-Za-z\d+/_-]+={0,2})$/.exec(text) ?? []
  if (id === undefined) throw new RangeError(`Key ${index + 1} is not written as id:base64.`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== keyLength) throw new RangeError(`The key ${id} has ${bytes.length} bytes instead of ${keyLength}.`)
  return { id, bytes }
}

/**
 * Seals with the first key, and opens bytes sealed with any key: AES-256-GCM, with each row bound to its context. Errors name the
 * `location`. Without a `digestSecret` the sealer makes no digests.
 */
export function vaultSealer(keys: readonly VaultKey[], location: string, digestSecret?: string): Sealer {
  const [first] = keys
  if (!first) throw new RangeError('Sealing needs a key.')
  const sealKeys = new Map(keys.map(({ id, bytes }) => [id, subkey(bytes, 'seal')] as const))
  const digestKey = digestSecret === undefined ? undefined : subkey(Buffer.from(digestSecret, 'base64url'), 'digest')
  const keyOf = (id: string) => {
    const key = sealKeys.get(id)
    if (key) return key
    throw new StoreError(
      'sealed',
      location,
      `The database ${location} holds data that was sealed with the key ${printable(id)}, which is unknown here.`,
    )
  }
  const seal: Sealer['seal'] = (text, context) => {
    const header = headerOf(first.id)
    const nonce = randomBytes(nonceLength)
    const cipher = createCipheriv('aes-256-gcm', keyOf(first.id), nonce)
    cipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([header, nonce, cipher.getAuthTag(), sealed])
  }
  const open: Sealer['open'] = (sealed, context) => {
    const id = vaultKeyId(sealed)
    if (id === undefined) throw new StoreError('sealed', location, `The database ${location} holds data that is not sealed.`)
    const key = keyOf(id)
    const { header, nonce, tag, text } = partsOf(sealed)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
    decipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
    decipher.setAuthTag(tag)
    try {
      return Buffer.concat([decipher.update(text), decipher.final()]).toString()
    } catch {
      const problem = `The database ${location} holds data that does not open with the key ${id}: the key differs here, or the data was changed.`
      throw new StoreError('sealed', location, problem)
    }
  }
  return {
    seal,
    open,
    reseal: (sealed, context) => (vaultKeyId(sealed) === first.id ? undefined : seal(open(sealed, context), context)),
    digest(text) {
      if (!digestKey) throw new Error('This sealer makes no digests.')
      return createHmac('sha256', digestKey).update(text).digest('base64url')
    },
  }
}

/** The id of a row's key; undefined for unsealed bytes. */
export function vaultKeyId(sealed: Uint8Array): string | undefined {
  const [version, idLength = 0] = sealed
  const isSealed = version === format && idLength > 0 && sealed.length >= 2 + idLength + nonceLength + tagLength
  return isSealed ? Buffer.from(sealed.subarray(2, 2 + idLength)).toString() : undefined
}

function headerOf(id: string): Buffer {
  const bytes = Buffer.from(id)
  return Buffer.concat([Buffer.from([format, bytes.length]), bytes])
}

function partsOf(sealed: Uint8Array) {
  const nonceAt = 2 + (sealed[1] ?? 0)
  const tagAt = nonceAt + nonceLength
  const textAt = tagAt + tagLength
  return {
    header: sealed.subarray(0, nonceAt),
    nonce: sealed.subarray(nonceAt, tagAt),
    tag: sealed.subarray(tagAt, textAt),
    text: sealed.subarray(textAt),
  }
}

/** One key for each purpose. */
function subkey(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `mcp-toolkits ${purpose}`, keyLength))
}

const printable = (id: string) => id.replaceAll(/[^\w.-]/g, '?')
