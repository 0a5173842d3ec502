import { InvalidInput } from '../errors.ts'

/** A name that a path may go on with, and the position behind it. */
export interface Step {
  readonly name: string
  readonly end: number
}

/**
 * A path as people write it. A slash may part two names or belong to one, so a path can be cut in several ways; several slashes
 * in a row, and those at either end, part names like one.
 */
export interface PathText {
  readonly text: string
  /** The names that may follow at a position; 0 is where the path begins. */
  readonly steps: (position: number) => readonly Step[]
  /** Whether nothing but slashes follows. */
  readonly isEnd: (position: number) => boolean
  /** What follows at a position. */
  readonly rest: (position: number) => string
  /** Whether every cut of it is one name. */
  readonly isSingle: boolean
  /** Every name that a cut can yield. With `longest`, only names made of at most so many parts between slashes. */
  readonly names: (longest?: number) => readonly string[]
}

/** A path of n parts can be cut into n² names, and every one of them is looked for. */
const mostParts = 100
/** In UTF-16 units. */
const longestPath = 4_000

/** Reads a path; undefined when there is no name in it. Throws `InvalidInput` for one longer than any that people write. */
export function parsePath(text: string): PathText | undefined {
  if (!/[^/]/.test(text)) return undefined
  if (text.length > longestPath) throw tooLong(text, `${text.length} characters, and at most ${longestPath} are taken`)
  const parts = text.split('/')
  const count = parts.length
  if (count > mostParts) throw tooLong(text, `${count - 1} slashes, and at most ${mostParts - 1} are taken`)

  const namesAt = (start: number, longest = count): Step[] =>
    Array.from({ length: Math.min(longest, count - start) }, (_, index) => start + index + 1)
      .map((end) => ({ name: parts.slice(start, end).join('/'), end }))
      .filter(({ name }) => name !== '')

  const firstNonEmpty = (position: number) => {
    const found = parts.findIndex((part, index) => index >= position && part !== '')
    return found === -1 ? count : found
  }

  const stepsAt = (position: number) => {
    const last = Math.min(firstNonEmpty(position), count - 1)
    return Array.from({ length: last - position + 1 }, (_, index) => position + index).flatMap((start) => namesAt(start))
  }
  const known = new Map<number, Step[]>()
  const steps = (position: number) => {
    const found = known.get(position) ?? stepsAt(position)
    known.set(position, found)
    return found
  }

  return {
    text,
    steps,
    isSingle: steps(0).every(({ end }) => steps(end).length === 0),
    isEnd: (position) => firstNonEmpty(position) === count,
    rest: (position) => parts.slice(position).join('/'),
    names: (longest) => [...new Set(parts.flatMap((_, start) => namesAt(start, longest).map(({ name }) => name)))],
  }
}

function tooLong(text: string, why: string): InvalidInput {
  return new InvalidInput(`The path ${JSON.stringify(`${text.slice(0, 80)}…`)} has ${why}. Pass the id of what is meant, or a link to it.`)
}
