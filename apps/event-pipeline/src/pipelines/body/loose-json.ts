import { parseJson } from '@mcp-toolkits/core/base'

/** More than this is not read: the correction would be too long to show. In UTF-16 units. */
export const maxLooseLength = 65_536

/** Texts inside texts are unpacked so often. */
const maxUnpacked = 3

const maxDepth = 100

/**
 * Reads what a caller wrote instead of JSON, if it can mean only one thing: code fences, comments, other quotation marks, names without
 * them, trailing commas, Python's literals, JSON inside a string. Numbers that a double cannot hold and a text that was cut off are
 * not read. Several objects in a row become a list. Undefined when the text cannot be read so.
 */
export function readLooseJson(text: string, level = 0): unknown {
  if (text.length > maxLooseLength || level > maxUnpacked) return undefined
  const bare = withoutWrapping(text)
  const json = parseJson(bare) === undefined ? new LooseReader(bare).read() : bare
  if (json === undefined) return level === 0 && bare.includes('\\"') ? readLooseJson(unescaped(bare), maxUnpacked) : undefined
  if (hasInexactNumber(json)) return undefined
  const value = parseJson(json)
  return typeof value === 'string' ? readLooseJson(value, level + 1) : value
}

/** Whether JSON has a number that parsing would round. */
function hasInexactNumber(json: string): boolean {
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/\d[\d.]{15,}/g) ?? []
  return numbers.some((number) => !Number.isSafeInteger(Number(number)))
}

/** The text without a byte order mark, the one code fence that it holds, an assignment in front or the escapes of HTML and URLs. */
function withoutWrapping(text: string): string {
  const fences = [...text.replaceAll('~~~', '```').matchAll(/```[a-z0-9]*\s([^`]*)```/gi)]
  const [, fenced = text] = fences.length === 1 ? (fences[0] ?? []) : []
  const plain = fenced
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/^(?:(?:const|let|var) )?[a-z_]\w* ?[=:] ?(?=[{[])/i, '')
    .replace(/;$/, '')
  if (/^\{\s*&quot;/.test(plain)) return plain.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  return /^%7B/i.test(plain) ? decoded(plain) : plain
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The text that a string literal without its quotation marks holds. */
function unescaped(text: string): string {
  const value = parseJson(`"${text}"`)
  return typeof value === 'string' ? value : ''
}

/** The closing marks for each opening quotation mark. */
const closingMarks: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”',
  '„': '“”',
  '‘': '’‘',
  '’': '’',
  '«': '»',
}

/** Punctuation as keyboards for other scripts write it. */
const wideMarks: Readonly<Record<string, string>> = { '：': ':', '，': ',', '｛': '{', '｝': '}', '［': '[', '］': ']' }

const literals: ReadonlyMap<string, string> = new Map(Object.entries({ true: 'true', false: 'false', null: 'null', none: 'null' }))

/** The end of the text, or something that can mean several things. */
class Unreadable extends Error {}

/** Writes JSON for a text of JSON values in a looser notation. */
class LooseReader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Undefined for a text that cannot be read. */
  read(): string | undefined {
    try {
      const values = [this.#value()]
      while (this.#peek() !== undefined) {
        if (this.#peek() === ',') this.#at += 1
        if (this.#peek() !== '{') throw new Unreadable()
        values.push(this.#value())
      }
      return values.length === 1 ? values[0] : `[${values.join(',')}]`
    } catch (error) {
      if (error instanceof Unreadable) return undefined
      throw error
    }
  }

  #value(): string {
    const char = this.#peek() ?? ''
    if (char === '{') return this.#list('}', () => this.#member())
    if (char === '[') return this.#list(']', () => this.#value())
    if (char in closingMarks) return this.#string(char)
    const word =
      this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy) ?? literals.get(this.#match(/[a-z]+(?!\w)/iy)?.toLowerCase() ?? '')
    if (word === undefined) throw new Unreadable()
    return word
  }

  /** The elements of an object or a list; a comma may follow the last one. */
  #list(close: string, element: () => string): string {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new Unreadable()
    const open = this.#peek() ?? ''
    const elements: string[] = []
    this.#at += 1
    while (this.#peek() !== close) {
      elements.push(element())
      if (this.#peek() === ',') this.#at += 1
      else if (this.#peek() !== close) throw new Unreadable()
    }
    this.#at += 1
    this.#depth -= 1
    return `${open}${elements.join(',')}${close}`
  }

  #member(): string {
    const char = this.#peek() ?? ''
    const bare = char in closingMarks ? undefined : this.#match(/[\p{L}_$][\p{L}\p{N}_$.-]*/uy)
    const name = bare === undefined ? this.#string(char) : JSON.stringify(bare)
    if (this.#peek() !== ':') throw new Unreadable()
    this.#at += 1
    return `${name}:${this.#value()}`
  }

  #string(open: string): string {
    const closing = closingMarks[open]
    if (closing === undefined) throw new Unreadable()
    let content = ''
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text.charAt(this.#at)
      if (char === '\\') content += this.#escape()
      else if (closing.includes(char) && (open === '"' || this.#endsHere())) {
        this.#at += 1
        return `"${content}"`
      } else content += JSON.stringify(char).slice(1, -1)
    }
    throw new Unreadable()
  }

  /** Whether a mark ends its string: other than in "O'Brien", a value or a name ends there. */
  #endsHere(): boolean {
    return /^\s*(?:[,:}\]，：｝］]|$)/.test(this.#text.slice(this.#at + 1, this.#at + 20))
  }

  #escape(): string {
    this.#at += 1
    const char = this.#text.charAt(this.#at)
    if (char === "'" || char === '`') return char
    if (!/["\\/bfnrtu]/.test(char)) throw new Unreadable()
    return `\\${char}`
  }

  /** The next character that is neither space nor part of a comment; undefined at the end. */
  #peek(): string | undefined {
    this.#match(/(?:\s|\/\/[^\n]*|#[^\n]*|\/\*[^]*?\*\/)+/y)
    const char = this.#text[this.#at]
    return char === undefined ? undefined : (wideMarks[char] ?? char)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }
}
