import { CORE_SCHEMA, load, parseEvents, YAMLException } from 'js-yaml'
import type { SeedPath } from './seed.ts'

/** A parsed text, and where its parts are. */
export interface SeedText {
  readonly value: unknown
  /** The line of a part or, where there is none, of the part around it; the first line is 1. */
  readonly lineOf: (path: SeedPath) => number
}

/** A text that cannot be parsed. */
export interface SyntaxProblem {
  readonly problem: string
  readonly line: number
}

/** Parses YAML, of which JSON is a part. */
export function parseSeedText(text: string): SeedText | SyntaxProblem {
  try {
    return { value: load(text, { schema: CORE_SCHEMA }), lineOf: lineFinder(text) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    return { problem: `this is not YAML (${reason}).`, line: (mark?.line ?? 0) + 1 }
  }
}

type Events = ReturnType<typeof parseEvents>

/** The numbers of js-yaml's events. */
const [sequenceEvent, mappingEvent, scalarEvent, popEvent] = [2, 3, 4, 6]

function lineFinder(text: string): SeedText['lineOf'] {
  const events = parseEvents(text, {})
  const starts = new Map<string, number>()
  // The first event is the document's.
  if (events.length > 1) recordStarts({ text, events, starts }, 1, [])
  return (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const start = starts.get(JSON.stringify(path.slice(0, length)))
      if (start !== undefined) return text.slice(0, start).split('\n').length
    }
    return 1
  }
}

interface Positions {
  readonly text: string
  readonly events: Events
  readonly starts: Map<string, number>
}

/** Records where the node at `index` and all nodes in it start; returns the index after it. */
function recordStarts(positions: Positions, index: number, path: SeedPath, keyStart?: number): number {
  const { text, events, starts } = positions
  const event = events[index]
  const start = keyStart ?? startOf(event)
  if (start !== undefined) starts.set(JSON.stringify(path), start)
  if (event?.type !== mappingEvent && event?.type !== sequenceEvent) return index + 1
  let next = index + 1
  for (let position = 0; next < events.length && events[next]?.type !== popEvent; position += 1) {
    if (event.type === sequenceEvent) {
      next = recordStarts(positions, next, [...path, position])
      continue
    }
    const key = events[next]
    const name = key?.type === scalarEvent && 'valueStart' in key ? text.slice(key.valueStart, key.valueEnd) : '?'
    const valueIndex = recordStarts({ ...positions, starts: new Map() }, next, [])
    next = recordStarts(positions, valueIndex, [...path, name], startOf(key))
  }
  return next + 1
}

function startOf(event: Events[number] | undefined): number | undefined {
  if (event === undefined) return undefined
  return 'valueStart' in event ? event.valueStart : 'start' in event ? event.start : undefined
}
