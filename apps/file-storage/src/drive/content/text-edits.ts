import { count, InvalidInput, joinWords, quote, spellingsOf } from '@mcp-toolkits/core/errors'

export type TextEdit =
  | { readonly append: string }
  /** A passage that must occur exactly once, and its replacement. */
  | { readonly replace: { readonly passage: string; readonly with: string } }

/** Maximum number of places named in an error. */
const maxPlaces = 20
/** Maximum length, in UTF-16 code units, of a passage to look for with different spacing. */
const maxCompared = 500

/**
 * Edits text and returns its bytes in the original encoding. Throws `InvalidInput` if the bytes are not text, and as `replaceOnce` does.
 */
export function editText(bytes: Uint8Array, edit: TextEdit, name: string): Uint8Array {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = decode(bytes, isUtf16 ? 'utf-16le' : 'utf-8')
  // UTF-16 without a byte order mark decodes as UTF-8, with a NUL next to each letter.
  if (text === undefined || text.includes('\0'))
    throw new InvalidInput(
      `${quote(name)} is not text in UTF-8 or UTF-16, so it can only be replaced as a whole: pass content or source_url. Nothing was changed.`,
    )
  const changed = 'append' in edit ? text + edit.append : replaceOnce(text, edit.replace, name)
  return Buffer.from(changed, isUtf16 ? 'utf16le' : 'utf8')
}

/** Decodes bytes and keeps the byte order mark, so that it is written back. */
function decode(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le'): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Replaces a passage. Throws `InvalidInput` with its places if it does not occur exactly once. */
function replaceOnce(
  text: string,
  { passage, with: replacement }: { readonly passage: string; readonly with: string },
  name: string,
): string {
  const { within, written, inserted } = readingOf(text, passage, replacement)
  const places = placesOf(within, written)
  const [place] = places
  if (place !== undefined && places.length === 1) {
    const positionOf = (at: number) => (within === text ? at : positionIn(text, at))
    return text.slice(0, positionOf(place)) + withLinesOf(text, inserted) + text.slice(positionOf(place + written.length))
  }
  const lines = linesOf(within, places)
  const found =
    places.length === 0
      ? `does not occur in ${quote(name)}${nearlyAt(text, passage)}. Pass it exactly as it appears there`
      : `occurs ${places.length > maxPlaces ? `more than ${maxPlaces} times` : count(places.length, 'time')} in ${quote(name)}, in ${lines.length === 1 ? 'line' : 'lines'} ${joinWords(lines)}. Pass more of the text around it, so that it occurs once`
  throw new InvalidInput(`The passage ${found}. Nothing was changed.`)
}

/**
 * The spelling of a passage that occurs in the text, or else the passage as written: callers see uniform line endings, and invisible
 * characters in the form `\u{200F}`.
 */
function readingOf(text: string, passage: string, replacement: string) {
  const [, original = passage] = spellingsOf(passage)
  const spellings = [
    { written: passage, inserted: replacement },
    { written: original, inserted: spellingsOf(replacement).at(-1) ?? replacement },
  ]
  const plain = { written: plainLines(passage), inserted: replacement, within: plainLines(text) }
  const readings = spellings.flatMap(({ written, inserted }) => [
    ...(written.includes('\r') ? [{ written, inserted, within: text }] : []),
    { ...plain, written: plainLines(written), inserted },
  ])
  return readings.find(({ within, written }) => within.includes(written)) ?? plain
}

const plainLines = (text: string) => text.replaceAll(/\r\n?/g, '\n')

/** Converts a position in the text with plain line endings to a position in the original text. */
function positionIn(text: string, plainPosition: number): number {
  let removed = 0
  for (const { index } of text.matchAll(/\r\n/g)) {
    if (index - removed >= plainPosition) break
    removed += 1
  }
  return plainPosition + removed
}

/** The inserted text, with the line endings of `text` if those are all of one kind. */
function withLinesOf(text: string, inserted: string): string {
  const [end, ...others] = new Set(text.match(/\r\n?|\n/g))
  return end === undefined || end === '\n' || others.length > 0 ? inserted : inserted.replaceAll(/\r?\n/g, end)
}

/** Positions of a passage, including overlapping ones; at most one more than an error names. */
function placesOf(text: string, passage: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(passage); at !== -1 && places.length <= maxPlaces; at = text.indexOf(passage, at + 1)) places.push(at)
  return places
}

/** The distinct line numbers of the positions. */
function linesOf(text: string, places: readonly number[]): string[] {
  let line = 1
  let position = 0
  const lines = places.map((place) => {
    line += text.slice(position, place).split('\n').length - 1
    position = place
    return line
  })
  const distinct = [...new Set(lines)].map(String)
  return distinct.length > maxPlaces ? [...distinct.slice(0, maxPlaces), 'others'] : distinct
}

/** Says where a passage occurs with different spacing or case. */
function nearlyAt(text: string, passage: string): string {
  const words = passage.length > maxCompared ? [] : passage.split(/\s+/).filter((word) => word !== '')
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join(String.raw`\s+`)
  const found = pattern === '' ? null : new RegExp(pattern, 'iu').exec(text)
  return found ? `, except with different spacing or case in line ${linesOf(text, [found.index]).join('')}` : ''
}
