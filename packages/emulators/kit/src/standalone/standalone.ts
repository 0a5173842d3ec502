import type { Context } from 'hono'
import * as z from 'zod'
import type { ControlExtension } from '../control.ts'
import type { HasDatabase } from '../emulator.ts'
import { parseJson } from '../json.ts'
import { checkSeed, type SeedContents } from '../seed/texts.ts'
import { createClock, type EmulatorClock, type TimeValue } from './clock.ts'
import { createSnapshots, type SnapshotDiff, type Snapshots, UnknownSnapshotError } from './snapshots.ts'

export type { SeedContents } from '../seed/texts.ts'
export type { EmulatorClock, TimeValue } from './clock.ts'
export { fixtures, perFile, type Use } from './fixtures.ts'
export type { ChangedRow, EntityDiff, RowValue, SnapshotDiff, Snapshots, StoredRow } from './snapshots.ts'

/** Controls that an emulator offers to tests, besides its requests, data and faults. */
export interface TestControls extends Snapshots {
  readonly clock: EmulatorClock
}

/** Location and initial content of an emulator's data. */
export interface StandaloneOptions<Seed> {
  /** Path of the database; in memory by default. */
  readonly file?: string
  /** A new database's content; `company` by default. A database with data keeps its data. */
  readonly seed?: Seed
  /** The time at which the clock stands still, and to which the seed's times are relative; the system clock runs by default. */
  readonly at?: TimeValue
}

/** The options of `open` for a standalone emulator. */
export interface OpenOptions<Seed> {
  readonly file?: string
  readonly seed?: Seed
  readonly now: () => number
}

/** An emulator that can become a standalone one. */
interface Standalone extends HasDatabase {
  readonly reset: () => void
  readonly afterSnapshot?: (name: string) => void
  readonly beforeRestore?: () => void
  readonly afterRestore?: (name: string) => void
}

/** Options, any of which may be undefined. */
type Given<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined }

/**
 * Opens an emulator with a settable clock and snapshots. `reset` also resets the clock. Throws `SeedError` for contents that do not match
 * the schema.
 */
export function standalone<Name extends string, Seed, Opened extends Standalone>(
  { file, seed, at }: Given<StandaloneOptions<Name | SeedContents>>,
  schema: z.ZodType<Seed>,
  open: (options: OpenOptions<Name | Seed>) => Opened,
): Omit<Opened, 'database' | 'extend' | 'afterSnapshot' | 'beforeRestore' | 'afterRestore'> & TestControls {
  const clock = createClock(at)
  const { database, extend, afterSnapshot, beforeRestore, afterRestore, ...emulator } = open({
    ...(file !== undefined && { file }),
    ...(seed !== undefined && { seed: checkSeed(seed, schema) }),
    now: clock.now,
  })
  const { snapshot, restore, diff } = createSnapshots(database)
  const controls: TestControls = {
    clock,
    snapshot(name) {
      snapshot(name)
      afterSnapshot?.(name)
    },
    restore(name) {
      beforeRestore?.()
      restore(name)
      afterRestore?.(name)
    },
    diff,
  }
  extend(testRoutes(controls))
  return { ...emulator, ...controls }
}

const timeSchema = z.union([
  z.strictObject({ at: z.union([z.string(), z.number()]) }),
  z.strictObject({ advance: z.number().min(-8.64e15).max(8.64e15) }),
])

/** Snapshots and the clock, for programs in other processes. All these routes need the token: a diff shows stored secrets. */
const testRoutes = ({ clock, ...snapshots }: Snapshots & { readonly clock: EmulatorClock }): ControlExtension => ({
  reset: clock.reset,
  addRoutes(app, guard) {
    app.post('/__emulator/snapshots/:name', guard, (context) => {
      const name = context.req.param('name')
      snapshots.snapshot(name)
      return context.json({ snapshot: name })
    })
    app.post('/__emulator/snapshots/:name/restore', guard, (context) =>
      orNotFound(context, () => {
        const name = context.req.param('name')
        snapshots.restore(name)
        return { snapshot: name }
      }),
    )
    app.get('/__emulator/snapshots/:name/diff', guard, (context) =>
      orNotFound(context, () => ({ diff: toJsonDiff(snapshots.diff(context.req.param('name'), context.req.query('to'))) })),
    )
    const answer = (context: Context) => context.json({ at: new Date(clock.now()).toISOString() })
    app.get('/__emulator/clock', guard, answer)
    app.put('/__emulator/clock', guard, async (context) => {
      const parsed = timeSchema.safeParse(parseJson(await context.req.text()))
      if (!parsed.success)
        return context.json(
          { error: 'Send {"at": "2026-03-02T09:00:00Z"} or, to advance the clock, {"advance": 60000}, in milliseconds.' },
          400,
        )
      try {
        if ('at' in parsed.data) clock.set(parsed.data.at)
        else clock.set(clock.now() + parsed.data.advance)
      } catch (error) {
        if (error instanceof RangeError) return context.json({ error: error.message }, 400)
        throw error
      }
      return answer(context)
    })
    app.delete('/__emulator/clock', guard, (context) => {
      clock.reset()
      return answer(context)
    })
  },
})

/** Returns 404 if there is no snapshot with the name. */
function orNotFound(context: Context, work: () => object): Response {
  try {
    return context.json(work())
  } catch (error) {
    if (error instanceof UnknownSnapshotError) return context.json({ error: error.message }, 404)
    throw error
  }
}

/** Encodes bytes as base64, because JSON cannot represent them. */
const toJsonDiff = (diff: SnapshotDiff): unknown =>
  parseJson(JSON.stringify(diff, (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)))
