/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A member of an object, name and value, and the elements of a value that is an array. */
export interface MemberLayout {
  readonly name: string
  readonly span: Span
  readonly elements: readonly Span[] | undefined
}

const structural = /["[\]{},]/g

/** Where the members of the one object in a text of valid JSON are: one pass, which builds no values. */
export function layoutOf(text: string): MemberLayout[] {
  const members: MemberLayout[] = []
  let depth = 0
  let name: Span | undefined
  let elements: Span[] | undefined
  let start = -1
  structural.lastIndex = 0
  for (let match = structural.exec(text); match; match = structural.exec(text)) {
    const { index } = match
    const char = text[index]
    if (char === '"') {
      structural.lastIndex = stringEnd(text, index)
      if (depth === 1) name ??= { start: index, end: structural.lastIndex }
      continue
    }
    const closes = char === '}' || char === ']'
    // The end of an element or a member is what precedes the comma or the bracket.
    if (depth === 2 && elements && (char === ',' || char === ']')) {
      const span = trimmed(text, start, index)
      if (span.end > span.start) elements.push(span)
      start = index + 1
    }
    if (depth === 1 && name && (char === ',' || char === '}')) {
      const key: unknown = JSON.parse(text.slice(name.start, name.end))
      members.push({ name: String(key), span: { start: name.start, end: trimmed(text, name.start, index).end }, elements })
      name = undefined
      elements = undefined
    }
    if (char === '[' && depth === 1) {
      elements = []
      start = index + 1
    }
    if (char !== ',') depth += closes ? -1 : 1
  }
  return members
}

/** The members of an object in valid JSON, each without white space, sorted; numbers and strings are not changed. */
export function canonicalMembers(text: string): string[] {
  return new CanonicalReader(text).members()
}

/** The same for any value, as text. */
export function canonicalText(text: string): string {
  return new CanonicalReader(text).value()
}

/** Reads valid JSON from the beginning to the end. */
class CanonicalReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): string {
    const char = this.#peek()
    if (char === '{') return `{${this.members().join(',')}}`
    if (char === '[') return `[${this.#elements().join(',')}]`
    return char === '"' ? this.#string() : this.#literal()
  }

  members(): string[] {
    const members: string[] = []
    this.#peek()
    this.#at += 1
    while (this.#peek() !== '}') {
      if (this.#peek() === ',') this.#at += 1
      this.#peek()
      const name = this.#string()
      this.#peek()
      // The colon.
      this.#at += 1
      members.push(`${name}:${this.value()}`)
    }
    this.#at += 1
    return members.sort()
  }

  #elements(): string[] {
    const elements: string[] = []
    this.#at += 1
    while (this.#peek() !== ']') {
      if (this.#peek() === ',') this.#at += 1
      elements.push(this.value())
    }
    this.#at += 1
    return elements
  }

  /** Skips white space. */
  #peek(): string | undefined {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
    return this.#text[this.#at]
  }

  #string(): string {
    const start = this.#at
    this.#at = stringEnd(this.#text, start)
    return this.#text.slice(start, this.#at)
  }

  /** A number, true, false or null. */
  #literal(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !endsLiteral(this.#text.charCodeAt(this.#at))) this.#at += 1
    return this.#text.slice(start, this.#at)
  }
}

/** Where the string ends that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

function trimmed(text: string, from: number, to: number): Span {
  let start = from
  let end = to
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1
  return { start, end }
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** A comma, a closing bracket or brace, or white space. */
const endsLiteral = (code: number) => code === 0x2c || code === 0x5d || code === 0x7d || isSpace(code)
