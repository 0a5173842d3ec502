import { jsonBytes } from '../base/json.ts'
import { printable, printableLine } from './printable.ts'
import { redact } from './redaction.ts'

/**
 * A value in quotation marks for messages, cut to `max` characters. Its content cannot break out: quotation marks are escaped, and line
 * breaks are shown as `\u{A}`.
 */
export function quote(value: string, max = 100): string {
  return `"${printableLine(truncate(redact(value), max).replace(/["\\]/g, '\\$&'))}"`
}

/** Leaves a key, an address or any other single word unchanged; quotes other values. */
export function quoteIfNeeded(value: string): string {
  return /^[\p{L}\p{N}@.+_/:…,-]{1,100}$/u.test(value) ? value : quote(value)
}

/** Quotes a vendor's messages in a sentence: `Linear says: "…".` Empty if there are none. */
export function quoteVendor(vendor: string, ...texts: readonly string[]): string {
  const quoted = texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .map((text) => quote(text, maxVendorText))
    .join('; ')
  return quoted === '' ? '' : `${vendor} says: ${quoted}${/[.!?]"$/.test(quoted) ? '' : '.'}`
}

/** Maximum length of a vendor's text, in characters; longer text is cut. */
const maxVendorText = 300

/** Text of at most `max` characters, ending in an ellipsis if it was cut. Surrogate pairs are never split. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max
  return `${text.slice(0, end)}…`
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1)
  if (last === undefined || words.length === 1) return last ?? ''
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}

/** `1 file`, `3 files`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

/** The first `max` characters of text, and its length in characters. A surrogate pair counts as one and is never split. */
export function firstCharacters(text: string, max: number): { readonly text: string; readonly total: number } {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
  const total = text.length - pairs
  if (total <= max) return { text, total }
  return {
    text:
      pairs === 0
        ? text.slice(0, max)
        : Array.from(text.slice(0, 2 * max))
            .slice(0, max)
            .join(''),
    total,
  }
}

/** Number of leading characters that fit into `maxBytes` of a result's JSON, in which invisible characters are escaped. */
export function fittingLength(points: readonly string[], maxBytes: number): number {
  let bytes = 0
  const excess = points.findIndex((point) => (bytes += jsonBytes(printable(point)) - 2) > maxBytes)
  return excess === -1 ? points.length : excess
}
