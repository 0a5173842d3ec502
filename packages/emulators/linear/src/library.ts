// Entry point for programs that install @mcp-toolkits/linear-emulator; servers bundle index.ts.
import { type SeedContents, standalone, type StandaloneOptions, type TestControls } from '@mcp-toolkits/emulator/standalone'
import { checkHosts } from '@mcp-toolkits/emulator'
import * as emulator from './emulator.ts'
import { linearSeedSchema } from './seed/schema.ts'
import * as seeds from './seed/seeds.ts'

export type { FaultAction, FaultRule, Faults, Fetch, ListenOptions, LoggedRequest } from '@mcp-toolkits/emulator'
export type { EmulatorClock, SeedContents, SnapshotDiff } from '@mcp-toolkits/emulator/standalone'
export type { LinearSettings } from './emulator.ts'
export type { LinearMutation, LinearReaders } from './readers.ts'
export type { EntityRow } from './store/entity-type.ts'

/** A new workspace's content: the name of a seed, or the content of a seed file. */
export type LinearSeed = seeds.LinearSeedName | SeedContents

/** Location and initial content of the data, and behaviour of the emulated Linear. */
export interface LinearEmulatorOptions extends StandaloneOptions<LinearSeed>, emulator.LinearSettings {}

/** A local Linear. */
export interface LinearEmulator extends emulator.LinearEmulator, TestControls {}

/**
 * Opens a local Linear; in memory unless `file` is given. Throws `SeedError` for contents that do not match the schema, and `TypeError`
 * for invalid hosts in `webhooksTo`.
 */
export function linearEmulator({ file, seed, at, ...settings }: LinearEmulatorOptions = {}): LinearEmulator {
  checkHosts(settings.webhooksTo)
  return standalone({ file, seed, at }, linearSeedSchema, (options) => emulator.openLinear({ ...settings, ...options }))
}

/** Reads a seed, given the name of a built-in one or the path of a YAML or JSON file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<LinearSeed> {
  return seeds.readSeed(text)
}
