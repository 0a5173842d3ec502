import { InvalidInput } from '../../errors/errors.ts'
import { spellingsOf } from '../../errors/printable.ts'
import { quote } from '../../errors/text.ts'

/** A path's next name, and the position after it. */
export interface Step {
  readonly name: string
  readonly end: number
}

/**
 * A path as people write it. A slash separates two names or belongs to one, so a path can be split in several ways; consecutive
 * slashes count as one separator, and slashes at either end are ignored.
 */
export interface ParsedPath {
  readonly text: string
  /** The names that may follow at a position; 0 is the path's start. */
  readonly steps: (position: number) => readonly Step[]
  /** True if only slashes follow. */
  readonly isEnd: (position: number) => boolean
  /** Rest of the path from a position. */
  readonly rest: (position: number) => string
  /** True if the path can only be a single name. */
  readonly isSingle: boolean
  /**
   * Every name that the path can be split into, in each spelling; with `maxParts`, only names with at most that many parts between slashes.
   */
  readonly names: (maxParts?: number) => readonly string[]
}

/** Maximum number of parts; a path of n parts can be split into about n² names, each of which is looked up. */
const maxParts = 100
/** Maximum length, in code units. */
const maxLength = 4_000

/** Reads a path; undefined if it contains no name. Throws `InvalidInput` if it is too long. */
export function parsePath(text: string): ParsedPath | undefined {
  if (!/[^/]/.test(text)) return undefined
  if (text.length > maxLength) throw tooLong(text, `${text.length} characters, and at most ${maxLength} are taken`)
  const parts = text.split('/')
  const count = parts.length
  if (count > maxParts) throw tooLong(text, `${count - 1} slashes, and at most ${maxParts - 1} are taken`)

  const allNamesAt = Array.from<Step[] | undefined>({ length: count })
  /** The names that begin at a part, shortest first. */
  const namesAt = (start: number, longest = count): readonly Step[] => {
    const all = (allNamesAt[start] ??= findNames(start))
    return all.slice(0, all.findLastIndex(({ end }) => end <= start + longest) + 1)
  }
  const findNames = (start: number): Step[] =>
    Array.from({ length: count - start }, (_, index) => start + index + 1)
      .map((end) => ({ name: parts.slice(start, end).join('/'), end }))
      .filter(({ name }) => name !== '')

  const firstNonEmpty = (position: number) => {
    const found = parts.findIndex((part, index) => index >= position && part !== '')
    return found === -1 ? count : found
  }

  const findSteps = (position: number) => {
    const last = Math.min(firstNonEmpty(position), count - 1)
    return Array.from({ length: last - position + 1 }, (_, index) => position + index).flatMap((start) => namesAt(start))
  }
  const cache = new Map<number, Step[]>()
  const steps = (position: number) => {
    const found = cache.get(position) ?? findSteps(position)
    cache.set(position, found)
    return found
  }

  return {
    text,
    steps,
    isSingle: steps(0).every(({ end }) => steps(end).length === 0),
    isEnd: (position) => firstNonEmpty(position) === count,
    rest: (position) => parts.slice(position).join('/'),
    names: (longest) => [...new Set(parts.flatMap((_, start) => namesAt(start, longest).flatMap(({ name }) => spellingsOf(name))))],
  }
}

/** One step that rewrites a path as people write it into the path that they mean. */
type Rewrite = (text: string) => string

const label = /^(?:(?:file|folder|full)[\s_-]?)?(?:file|folder|path|name|directory|location)\s*[:=]\s*(?=\S)/i
const markdownLink = /^\[[^\]]*\]\((\S+)\)$/
const quotedText = /^(?:".*"|'.*'|`.*`|“.*”|‘.*’|«.*»|<.*>)$/su
/** A path in OneDrive's API: `/me/drive/root:/Photos/May.png:/content`. */
const oneDrivePath = /^\/?(?:(?:me\/)?drive\/|drives\/[^/]+\/)?root:\/(.+?):?(?:\/(?:content|children))?$/i
const typographic: readonly (readonly [RegExp, string])[] = [
  [/[‘’ʼ′]/gu, "'"],
  [/[“”″]/gu, '"'],
  [/[‐‑‒–—−]/gu, '-'],
  [/[\u00a0\u2007\u2009\u202f]/gu, ' '],
  [/[\u200b\ufeff]/gu, ''],
  [/[／∕⁄]/gu, '/'],
]

/** Rewrites, each applied to the previous one's result: first of wrappers around a path, then of substitutes for characters in it. */
const rewrites: readonly Rewrite[] = [
  (text) => text.trim(),
  (text) => (quotedText.test(text) ? text.slice(1, -1).trim() : text),
  (text) => text.replace(markdownLink, '$1').replace(label, '').replace(oneDrivePath, '$1'),
  (text) => text.normalize('NFC'),
  (text) => typographic.reduce((changed, [pattern, plain]) => changed.replace(pattern, plain), text),
  (text) => text.replace(/(?:%[\da-f]{2})+/gi, decodeOrKeep),
  (text) => text.replace(/\\+/g, '/'),
  (text) => text.replace(/\s[>›»→|]\s/gu, '/'),
  (text) =>
    text.includes('/')
      ? text
          .split('/')
          .map((name) => name.trim())
          .join('/')
      : text,
  withoutDots,
  (text) => text.replaceAll('+', ' '),
]

/**
 * Other ways to read a path that does not exist as written: without surrounding quotes and spaces, with slashes for backslashes, with plain
 * characters for `%20` and typographic marks, without `./`. Each is lossless; the fewest changes come first. Empty for a path without any
 * of these marks.
 */
export function readingsOf(text: string): readonly string[] {
  const readings = rewrites.reduce<readonly string[]>((all, rewrite) => [...all, rewrite(all.at(-1) ?? text)], [text])
  const decomposed = text.normalize('NFD')
  return [...new Set([...readings, decomposed])].filter((reading) => reading !== text && reading.length <= maxLength)
}

function decodeOrKeep(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return escaped
  }
}

/** `./a/./b/../c` is `a/c`; a path that leaves the root is not changed. */
function withoutDots(text: string): string {
  const names: string[] = []
  for (const name of text.split('/')) {
    if (name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return text
  }
  return names.join('/')
}

function tooLong(text: string, reason: string): InvalidInput {
  return new InvalidInput(`The path ${quote(text, 80)} has ${reason}. Pass the id of the item, or a link to it.`)
}
