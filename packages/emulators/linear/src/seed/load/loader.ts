import { createSeedNames, type SeedNames, type SeedPath, seedText, type SeedTime, seedTime } from '@mcp-toolkits/emulator'
import type { Seeder } from '../seed-rows.ts'

/** Inserts the parts of a seed, and looks up their ids by name. */
export interface Loader extends Seeder {
  /** Time at which the workspace is seeded, in epoch milliseconds. */
  readonly now: number
  /** Converts a time in the seed. */
  readonly at: (time: SeedTime, path: SeedPath) => string
  /** The same; null if absent. */
  readonly maybeAt: (time: SeedTime | undefined, path: SeedPath) => string | null
  /** The day of a time in the seed; null if absent. */
  readonly day: (time: SeedTime | undefined, path: SeedPath) => string | null
  /** Age of a time in the seed, in days. */
  readonly age: (time: SeedTime, path: SeedPath) => number
  /** Text with its dates filled in; null if absent. */
  readonly text: (text: string | undefined) => string | null
  readonly names: Readonly<Record<NameKind, SeedNames>>
}

/** Kinds of names. States, milestones and cycles are called `<team> <state>`, `<project> <milestone>` and `<team> <number>`. */
export type NameKind = 'user' | 'team' | 'state' | 'label' | 'cycle' | 'project' | 'milestone' | 'initiative' | 'issue' | 'document'

const dayMs = 86_400_000

export function createLoader(seeder: Seeder, now: number): Loader {
  const at = (time: SeedTime, path: SeedPath) => seedTime(time, now, path)
  const maybeAt = (time: SeedTime | undefined, path: SeedPath) => (time === undefined ? null : at(time, path))
  return {
    ...seeder,
    now,
    at,
    maybeAt,
    day: (time, path) => maybeAt(time, path)?.slice(0, 10) ?? null,
    age: (time, path) => (now - Date.parse(at(time, path))) / dayMs,
    text: (text) => (text === undefined ? null : seedText(text, now)),
    names: {
      user: createSeedNames('user'),
      team: createSeedNames('team'),
      state: createSeedNames('state'),
      label: createSeedNames('label'),
      cycle: createSeedNames('cycle'),
      project: createSeedNames('project'),
      milestone: createSeedNames('milestone'),
      initiative: createSeedNames('initiative'),
      issue: createSeedNames('issue'),
      document: createSeedNames('document'),
    },
  }
}

/** The id for an optional reference; null if absent. */
export const maybeId = (names: SeedNames, name: string | undefined, path: SeedPath): string | null =>
  name === undefined ? null : names.get(name, path)

/** A list with the path of each element. */
export const withPaths = <T>(list: readonly T[] | undefined, path: SeedPath): (readonly [T, SeedPath])[] =>
  (list ?? []).map((each, index) => [each, [...path, index]] as const)

/** The API's numbers for priorities. */
export const priorities = { none: 0, urgent: 1, high: 2, medium: 3, low: 4 } as const
