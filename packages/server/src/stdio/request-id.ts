type Id = string | number

const quote = 0x22
const backslash = 0x5c
const opening = [0x7b, 0x5b]
const closing = [0x7d, 0x5d]
const colon = 0x3a
const comma = 0x2c

/** Longest key or id worth keeping; a longer string is none. */
const longest = 256

/**
 * Finds the `id` of a JSON-RPC request while its line is read and thrown away, so that a line too long to hold can still be
 * answered. Only members of the outermost object count.
 */
export class RequestIdScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #token: number[] = []
  #key: string | undefined
  #id: Id | undefined

  get id(): Id | undefined {
    return this.#id
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
    else this.#keep(byte)
  }

  #close(): void {
    if (this.#depth === 1) this.#endMember()
    this.#depth -= 1
  }

  #endMember(): void {
    const value = this.#take()
    if (this.#key === '"id"' && value !== undefined) this.#id = parseId(value)
    this.#key = undefined
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length < longest) this.#token.push(byte)
  }

  #take(): string | undefined {
    const text = Buffer.from(this.#token).toString().trim()
    this.#token = []
    return text === '' ? undefined : text
  }
}

function parseId(text: string): Id | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' || typeof value === 'number' ? value : undefined
  } catch {
    return undefined
  }
}
