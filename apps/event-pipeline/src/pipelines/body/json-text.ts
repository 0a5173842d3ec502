import { endOfString, JsonNesting, jsonUnits, parseJson } from '@mcp-toolkits/core/base'

/** A part of text, in UTF-16 code units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The spans of a member of an object and, if its value is an array, of the array's elements. */
export interface MemberLayout {
  readonly name: string
  readonly span: Span
  /** The first elements, up to the limit. */
  readonly elements: readonly Span[] | undefined
  readonly elementCount: number
}

export interface LayoutLimits {
  /** Maximum number of levels of lists and objects. */
  readonly maxDepth: number
  /** Maximum number of members of one object. */
  readonly maxMembers: number
  /** Maximum number of elements of a top-level member for which spans are kept. */
  readonly maxElements: number
}

const { quote, comma, openList, closeList, closeObject } = jsonUnits

/** Length, in UTF-16 code units, of text read in one step, which takes tens of microseconds. */
const stepLength = 16_384

/**
 * Positions of the members of the single object in JSON text, or the limit that the text exceeds. One pass in short steps finds them
 * without building values. For invalid JSON, the result is meaningless, but each element is still a whole piece between commas, with no
 * string cut.
 */
export function* readLayout(text: string, limits: LayoutLimits): Generator<undefined, MemberLayout[] | keyof LayoutLimits> {
  const members: MemberLayout[] = []
  const nesting = new JsonNesting(limits)
  let name: Span | undefined
  let elements: Span[] | undefined
  let elementCount = 0
  let start = -1
  let nextStep = stepLength
  for (let index = 0; index < text.length; index += 1) {
    if (index >= nextStep) {
      yield
      nextStep = index + stepLength
    }
    const unit = text.charCodeAt(index)
    if (unit === quote) {
      const end = endOfString(text, index)
      if (nesting.depth === 1) name ??= { start: index, end: end + 1 }
      index = end
      continue
    }
    const ends = unit === comma || unit === closeList || unit === closeObject
    // An element or member ends before the comma or bracket.
    if (ends && nesting.depth === 2 && elements && unit !== closeObject) {
      const span = trimmed(text, start, index)
      if (span.end > span.start) {
        elementCount += 1
        if (elements.length < limits.maxElements) elements.push(span)
      }
      start = index + 1
    }
    if (ends && nesting.depth === 1 && name && unit !== closeList) {
      const span = { start: name.start, end: trimmed(text, name.start, index).end }
      members.push({ name: String(parseJson(text.slice(name.start, name.end))), span, elements, elementCount })
      name = undefined
      elements = undefined
      elementCount = 0
    }
    if (unit === openList && nesting.depth === 1) {
      elements = []
      start = index + 1
    }
    const exceeded = nesting.read(unit)
    if (exceeded) return exceeded
  }
  return members
}

/** The members of an object in valid JSON, sorted and without whitespace; numbers and strings stay as written. */
export function canonicalMembers(text: string): string[] {
  return new CanonicalReader(text).members()
}

/** Like `canonicalMembers`, but for any value, as one text. */
export function canonicalText(text: string): string {
  return new CanonicalReader(text).value()
}

/** Reads valid JSON from start to end. */
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
      // Skips the colon.
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

  #peek(): string | undefined {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
    return this.#text[this.#at]
  }

  #string(): string {
    const start = this.#at
    this.#at = endOfString(this.#text, start) + 1
    return this.#text.slice(start, this.#at)
  }

  /** Reads a number, true, false or null. */
  #literal(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !endsLiteral(this.#text.charCodeAt(this.#at))) this.#at += 1
    return this.#text.slice(start, this.#at)
  }
}

function trimmed(text: string, from: number, to: number): Span {
  let start = from
  let end = to
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1
  return { start, end }
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** True for a comma, a closing bracket or brace, or whitespace. */
const endsLiteral = (code: number) => code === 0x2c || code === 0x5d || code === 0x7d || isSpace(code)
