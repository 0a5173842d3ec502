type Id = string | number

const quote = 0x22
const backslash = 0x5c
const opening = [0x7b, 0x5b]
const closing = [0x7d, 0x5d]
const colon = 0x3a
const comma = 0x2c
const space = 0x20

/** Longest key or id worth keeping; a longer string is none. */
const longest = 256

/**
 * Finds the `id` of a JSON-RPC request while its line is read and thrown away, so that a line too long to hold can still be
 * answered. Only members of the outermost object count, and only with a `method` among them: an answer is not answered.
 */
export class RequestIdScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #token: number[] = []
  #key: unknown
  #id: Id | undefined
  #isRequest = false

  get id(): Id | undefined {
    return this.#isRequest ? this.#id : undefined
  }

  read(bytes: Uint8Array): void {
    for (const byte of bytes) this.#step(byte)
  }

  #step(byte: number): void {
    if (this.#inString) {
      this.#keep(byte)
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escaped = true
      else if (byte === quote) this.#inString = false
      return
    }
    if (byte === quote) this.#inString = true
    if (opening.includes(byte)) this.#depth += 1
    else if (closing.includes(byte)) this.#close()
    else if (this.#depth === 1 && byte === colon) this.#key = this.#take()
    else if (this.#depth === 1 && byte === comma) this.#endMember()
    else if (byte > space) this.#keep(byte)
  }

  #close(): void {
    if (this.#depth === 1) this.#endMember()
    this.#depth -= 1
  }

  #endMember(): void {
    const value = this.#take()
    if (this.#key === 'id') this.#id = typeof value === 'string' || typeof value === 'number' ? value : undefined
    if (this.#key === 'method') this.#isRequest = true
    this.#key = undefined
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length <= longest) this.#token.push(byte)
  }

  /** The key or the plain value that was read; undefined for any other, and for one that is too long. */
  #take(): unknown {
    const token = this.#token
    this.#token = []
    return token.length > longest ? undefined : parse(Buffer.from(token).toString())
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
