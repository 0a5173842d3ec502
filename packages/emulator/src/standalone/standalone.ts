import type { HasDatabase } from '../emulator.ts'
import { createClock, type EmulatorClock, type TimeValue } from './clock.ts'
import { testRoutes } from './routes.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** What an emulator offers to tests beside its requests, data and faults. */
export interface TestControls extends Snapshots {
  readonly clock: EmulatorClock
}

/** Where an emulator has its data, and what these begin with. */
export interface StandaloneOptions<Seed> {
  /** Path of the database; in memory when absent. */
  readonly file?: string
  /** What a new database contains; `company` by default. A database that has data keeps it. */
  readonly seed?: Seed
  /** The moment at which the clock stands still, and which the times of the seed refer to; the system's clock when absent. */
  readonly at?: TimeValue
}

/** The options of `open` for an emulator on its own. */
export interface OpenOptions<Seed> {
  readonly file?: string
  readonly seed?: Seed
  readonly now: () => number
}

/** What an emulator has besides the tables. */
interface Standalone extends HasDatabase {
  readonly reset: () => void
  /** Called after a snapshot was made. */
  readonly afterSnapshot?: (name: string) => void
  /** Called after a snapshot was restored. */
  readonly afterRestore?: (name: string) => void
}

/** Opens an emulator with a clock that can be set, and with snapshots. `reset` also sets the clock back. */
export function standalone<Seed, Opened extends Standalone>(
  { file, seed, at }: StandaloneOptions<Seed>,
  open: (options: OpenOptions<Seed>) => Opened,
): Omit<Opened, 'database' | 'extend' | 'afterSnapshot' | 'afterRestore'> & TestControls {
  const clock = createClock(at)
  const { database, extend, afterSnapshot, afterRestore, ...emulator } = open({
    ...(file !== undefined && { file }),
    ...(seed !== undefined && { seed }),
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
      restore(name)
      afterRestore?.(name)
    },
    diff,
  }
  extend(testRoutes(controls))
  return { ...emulator, ...controls }
}
