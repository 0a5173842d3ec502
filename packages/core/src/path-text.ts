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
  /** Every name that a cut can yield. With `mostParts`, only names made of at most so many parts between slashes. */
  readonly names: (mostParts?: number) => readonly string[]
}

/** Reads a path; undefined when there is no name in it. */
export function parsePath(text: string): PathText | undefined {
  const parts = text.split('/')
  const count = parts.length
  if (parts.every((part) => part === '')) return undefined

  const namesAt = (start: number, mostParts = count): Step[] =>
    Array.from({ length: Math.min(mostParts, count - start) }, (_, index) => start + index + 1)
      .map((end) => ({ name: parts.slice(start, end).join('/'), end }))
      .filter(({ name }) => name !== '')

  const firstNonEmpty = (position: number) => {
    const found = parts.findIndex((part, index) => index >= position && part !== '')
    return found === -1 ? count : found
  }

  const steps = (position: number) => {
    const last = Math.min(firstNonEmpty(position), count - 1)
    return Array.from({ length: last - position + 1 }, (_, index) => position + index).flatMap((start) => namesAt(start))
  }

  return {
    text,
    steps,
    isSingle: steps(0).every(({ end }) => steps(end).length === 0),
    isEnd: (position) => firstNonEmpty(position) === count,
    rest: (position) => parts.slice(position).join('/'),
    names: (mostParts) => [...new Set(parts.flatMap((_, start) => namesAt(start, mostParts).map(({ name }) => name)))],
  }
}
