import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { openStore, type Store } from '@mcp-toolkits/sqlite'
import { CORE_SCHEMA, load, parseEvents, YAMLException } from 'js-yaml'
import type * as z from 'zod'
import { isObject, toObject } from '../json.ts'
import { formatPath, SeedError, type SeedPath } from './texts.ts'

interface SeedFileOptions<Seed> {
  readonly schema: z.ZodType<Seed>
  readonly migrations: readonly string[]
  /** Seeds new tables. Throws `SeedError` for a seed that matches the schema but cannot be loaded. */
  readonly load: (store: Store, seed: Seed, now: number) => void
}

/**
 * Reads a seed from a YAML or JSON file, and loads it into a temporary store. Throws `SeedError` with the mistake's file, line and path.
 */
export async function readSeedFile<Seed>(file: string, { schema, ...options }: SeedFileOptions<Seed>): Promise<Seed> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    if (code === 'ENOENT' && isName(file)) throw new SeedError([], unknownName(file))
    throw new SeedError([], `The seed ${path.resolve(file)} cannot be read (${code}).`)
  })
  const { value, lineOf } = parseSeedText(file, text.replace(/^\uFEFF/, ''))
  const checked = schema.safeParse(value)
  if (!checked.success) throw schemaError(file, checked.error, lineOf)
  try {
    tryLoad(checked.data, options)
  } catch (error) {
    throw error instanceof SeedError ? located(file, lineOf(error.path), error.message) : error
  }
  return checked.data
}

/** Reads a folder's files as one seed, in which lists with the same path are joined. */
export function readSeedFolder<Seed>(folder: string, schema: z.ZodType<Seed>): Seed {
  const parts = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => toObject(load(readFileSync(path.join(folder, file), 'utf8'), { schema: CORE_SCHEMA })))
  return schema.parse(parts.reduce(joined, {}))
}

/** Merges two parts of a seed. */
function joined(known: unknown, value: unknown): unknown {
  if (isList(known) && isList(value)) return [...known, ...value]
  if (!isObject(known) || !isObject(value)) return value
  return { ...known, ...Object.fromEntries(Object.entries(value).map(([key, each]) => [key, joined(known[key], each)])) }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isName = (text: string) => !/[/\\]|\.(?:ya?ml|json)$/i.test(text)

/** The built-in seeds. The first two letters are enough to recognize a misspelt one. */
const builtIn = ['company', 'edge-cases', 'empty']

function unknownName(text: string): string {
  const closest = builtIn.find((name) => name.startsWith(text.slice(0, 2).toLowerCase() || ' '))
  const meant = closest === undefined ? '' : ` Did you mean ${closest}?`
  const choices = `Give ${builtIn.slice(0, -1).join(', ')} or ${builtIn.at(-1)}, or the path of a YAML or JSON file.`
  return `There is no seed ${JSON.stringify(text)}, and no file ${path.resolve(text)}.${meant} ${choices}`
}

function tryLoad<Seed>(seed: Seed, { migrations, load }: Pick<SeedFileOptions<Seed>, 'migrations' | 'load'>): void {
  const store = openStore({ file: ':memory:', migrations })
  try {
    store.writeNow(() => {
      load(store, seed, Date.now())
    })
  } finally {
    void store.close()
  }
}

/** The first problem, and the number of others. */
function schemaError(file: string, { issues }: z.ZodError, lineOf: LineOf): SeedError {
  const [first] = issues
  const at = (first?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)))
  const where = at.length === 0 ? '' : `${formatPath(at)}: `
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return located(file, lineOf(at), `${where}${first?.message ?? 'invalid'}${others}`)
}

const located = (file: string, line: number, message: string) =>
  new SeedError([], `${path.basename(file)}, line ${line}: ${message.replace(/\.?$/, '.')}`)

/** The line of a part or, if it has none, of its parent; the first line is 1. */
type LineOf = (path: SeedPath) => number

/** Parses YAML, which includes JSON. */
function parseSeedText(file: string, text: string): { readonly value: unknown; readonly lineOf: LineOf } {
  try {
    return { value: load(text, { schema: CORE_SCHEMA }), lineOf: lineFinder(text) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    throw located(file, (mark?.line ?? 0) + 1, `this is not YAML (${reason}).`)
  }
}

type Events = ReturnType<typeof parseEvents>

/** js-yaml's event numbers. */
const [sequenceEvent, mappingEvent, scalarEvent, popEvent] = [2, 3, 4, 6]

function lineFinder(text: string): LineOf {
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

/** Records the starts of the node at `index` and all nodes inside it; returns the index after it. */
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
