import type { JsonObject } from '@mcp-toolkits/core/json'
import type { Span } from './json-text.ts'

/** The exact text of a body and the spans of its parts, so that text can be added without touching the rest. */
export interface BodyText {
  readonly text: string
  /** The elements of `batch`; empty for other calls. */
  readonly items: readonly Span[]
  /** The top-level members, name and value. */
  readonly members: ReadonlyMap<string, Span>
}

/** A request body with its value. */
export interface ParsedBody extends BodyText {
  readonly json: JsonObject
  readonly notices: readonly string[]
}

/** Text to add to a body, and where. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** A body with text added, in the order of the positions. */
export function withInsertions({ text, items, members }: BodyText, insertions: readonly Insertion[]): BodyText {
  if (insertions.length === 0) return { text, items, members }
  const parts = insertions.map(({ at, text: added }, index) => `${text.slice(insertions[index - 1]?.at ?? 0, at)}${added}`)
  let next = 0
  let shift = 0
  /** Positions are asked for in ascending order. */
  const moved = (position: number) => {
    for (let insertion = insertions[next]; insertion && insertion.at < position; insertion = insertions[next]) {
      shift += insertion.text.length
      next += 1
    }
    return position + shift
  }
  const move = ({ start, end }: Span) => ({ start: moved(start), end: moved(end) })
  const rewind = () => {
    next = 0
    shift = 0
  }
  const movedItems = items.map(move)
  rewind()
  return {
    text: parts.join('') + text.slice(insertions.at(-1)?.at),
    items: movedItems,
    members: new Map([...members].map(([name, span]) => [name, move(span)])),
  }
}
