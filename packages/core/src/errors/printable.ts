/**
 * Built when a character first needs it: compiling a regular expression with so many scripts takes a millisecond or two, too long for
 * startup.
 */
let legitimate: RegExp | undefined

/** Pattern for invisible characters that belong to an emoji, a flag or a word's spelling. */
function buildLegitimate(): RegExp {
  // Scripts whose letters change with a joiner, or need one for their spelling: https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
  const joining = scripts(
    'Arab Syrc Mong Nkoo Phag Mand Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Bali Java Newa',
  )
  // Scripts without spaces, in which a zero-width space allows a line to break.
  const spaceless = scripts('Khmr Thai Laoo Mymr')
  const parts = [
    String.raw`\u200D(?=\p{ExtPict})(?<=\p{ExtPict}[\uFE0F\p{EMod}]?\u200D)`,
    String.raw`[\u200C\u200D](?<=(?!\p{DI})(?=[\p{L}\p{M}])[${joining}].)`,
    String.raw`\u200B(?=[${spaceless}])(?<=[${spaceless}].)`,
    String.raw`[\uFE0E\uFE0F](?<=(?![0-9#*])[\p{Emoji}\p{ExtPict}].)`,
    String.raw`\uFE0F(?=\u20E3)(?<=[0-9#*].)`,
    String.raw`[\uFE00-\uFE02](?<=[\p{sc=Han}\p{sc=Mymr}\u2229-\u2AFF].)`,
    String.raw`[\u{E0100}-\u{E01EF}](?<=\p{sc=Han}.)`,
    String.raw`[\u180B-\u180F](?<=(?=\p{L})\p{sc=Mong}.)`,
    // Flags of England, Scotland, Texas and others: https://www.unicode.org/reports/tr51/#valid-emoji-tag-sequences
    String.raw`(?<=\u{1F3F4})[\u{E0061}-\u{E007A}]{2}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,3}\u{E007F}`,
  ]
  return new RegExp(parts.join('|'), 'uy')
}

/**
 * First and last code unit of each range of control characters, surrogates, and characters that have no glyph or change how others look,
 * such as U+202E.
 */
const invisible = [
  [0x0, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
] as const
const invisibleAstral = [
  [0xe0000, 0xe0fff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
] as const

/**
 * Text that is safe for a model or a terminal: each control or invisible character becomes visible, as `\u{202E}`, except line breaks,
 * tabs, and those that emoji and scripts need. Idempotent. The result can be eight times as long as the text, so it is cut after
 * `maxLength` characters for callers that only need to know that it is too long.
 */
export function printable(text: string, maxLength = Infinity): string {
  return escapeInvisible(text, { keepsLines: true, escape: escapeCodePoint, maxLength })
}

/** Like `printable`, but on one line: line breaks and tabs are shown as `\u{A}` and `\u{9}`. */
export function printableLine(text: string): string {
  return escapeInvisible(text, { keepsLines: false, escape: escapeCodePoint })
}

/** The same JSON with control and invisible characters escaped, so that a terminal can show it and a program still reads the same text. */
export function printableJson(json: string): string {
  return escapeInvisible(json, { keepsLines: true, escape: escapeAsJson })
}

/** Reverses `printable`: `\u{202E}` and similar escapes become characters again; all other text is unchanged. */
export function fromPrintable(text: string): string {
  return text.replace(/\\u\{([\dA-Fa-f]{1,6})\}/g, (escaped, digits: string) => {
    const codePoint = Number.parseInt(digits, 16)
    if (codePoint > 0x10ffff) return escaped
    const character = String.fromCodePoint(codePoint)
    return printableLine(character) === character ? escaped : character
  })
}

/**
 * Possible spellings of a reference at the vendor: the reference as given, which takes precedence, and the reference with `printable`'s
 * escapes turned back into characters.
 */
export function spellingsOf(reference: string): readonly string[] {
  const original = fromPrintable(reference)
  return original === reference ? [reference] : [reference, original]
}

function escapeCodePoint(character: string): string {
  return String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`
}

function escapeAsJson(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

interface EscapeOptions {
  readonly keepsLines: boolean
  readonly escape: (character: string) => string
  readonly maxLength?: number
}

/** Maximum length of a run of equal characters escaped at once. */
const maxRow = 1_000

/** Number of pieces to collect before joining them, so that text full of invisible characters takes little memory. */
const maxPieces = 10_000

/** Escapes in one pass with a table, because a regular expression over the whole text takes many times as long. */
function escapeInvisible(text: string, { keepsLines, escape, maxLength = Infinity }: EscapeOptions): string {
  if (!(keepsLines ? /[^\n\t -~]/ : /[^ -~]/).test(text)) return text
  const escapes = new Map<number, string>()
  const done: string[] = []
  let pieces: string[] = []
  let copied = 0
  /** Number of code units by which the result so far is longer than its source. */
  let growth = 0
  for (let index = 0; index < text.length; index += 1) {
    const kind = unitKinds[text.charCodeAt(index)]
    if (kind === plain || (kind === line && keepsLines)) continue
    const codePoint = text.codePointAt(index) ?? 0
    const keptLength = kind === hidden ? 0 : lengthToKeep(text, index, { codePoint, keepsLines })
    if (keptLength > 0) {
      index += keptLength - 1
      continue
    }
    let escaped = escapes.get(codePoint)
    if (escaped === undefined) {
      escaped = escape(String.fromCodePoint(codePoint))
      escapes.set(codePoint, escaped)
    }
    if (index > copied) pieces.push(text.slice(copied, index))
    const count = kind === hidden ? rowLength(text, index) : 1
    pieces.push(count === 1 ? escaped : escaped.repeat(count))
    copied = index + count * unitsOf(codePoint)
    growth += count * (escaped.length - unitsOf(codePoint))
    if (copied + growth > maxLength) return [...done, ...pieces].join('')
    index = copied - 1
    if (pieces.length < maxPieces) continue
    done.push(pieces.join(''))
    pieces = []
  }
  return copied === 0 ? text : [...done, ...pieces, text.slice(copied)].join('')
}

/** Length of the run of equal code units that begins at `start`. */
function rowLength(text: string, start: number): number {
  const unit = text.charCodeAt(start)
  let end = start + 1
  while (end < start + maxRow && text.charCodeAt(end) === unit) end += 1
  return end - start
}

/** Number of code units at `index` to leave unescaped: those of a visible character, or of an invisible one where it is legitimate. */
function lengthToKeep(
  text: string,
  index: number,
  { codePoint, keepsLines }: { readonly codePoint: number; readonly keepsLines: boolean },
): number {
  if (codePoint > 0xffff && !invisibleAstral.some(([first, last]) => codePoint >= first && codePoint <= last)) return unitsOf(codePoint)
  if (codePoint === carriageReturn) return keepsLines && text.startsWith('\n', index + 1) ? 2 : 0
  // For a long run of invisible characters, checking the preceding code unit is faster than the regular expression. A joiner may follow an
  // emoji's variation selector.
  const before = index === 0 ? hidden : unitKinds[text.charCodeAt(index - 1)]
  if (codePoint <= 0xffff && (before === hidden || before === contextual) && !text.startsWith('\uFE0F\u200D', index - 1)) return 0
  legitimate ??= buildLegitimate()
  legitimate.lastIndex = index
  return legitimate.test(text) ? legitimate.lastIndex - index : 0
}

const carriageReturn = 0xd

const unitsOf = (codePoint: number) => (codePoint > 0xffff ? 2 : 1)

/** Kinds of UTF-16 code units: `contextual` ones are legitimate in some places, and `hidden` ones nowhere. */
const [plain, line, contextual, surrogate, hidden] = [0, 1, 2, 3, 4] as const

const contextualRanges = [
  [0xd, 0xd],
  [0x180b, 0x180f],
  [0x200b, 0x200d],
  [0xfe00, 0xfe0f],
] as const

const unitKinds = classifyUnits()

function classifyUnits(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  for (const [first, last] of invisible) kinds.fill(hidden, first, last + 1)
  for (const [first, last] of contextualRanges) kinds.fill(contextual, first, last + 1)
  kinds.fill(surrogate, 0xd800, 0xe000)
  kinds.fill(line, 0x9, 0xb)
  return kinds
}

function scripts(names: string): string {
  return names.replace(/\w+ ?/g, (name) => String.raw`\p{scx=${name.trim()}}`)
}
