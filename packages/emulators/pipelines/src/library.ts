// Entry point for programs that install @mcp-toolkits/pipelines-emulator; servers bundle index.ts.
import type { Emulator } from '@mcp-toolkits/emulator'
import { type SeedContents, standalone, type StandaloneOptions, type TestControls } from '@mcp-toolkits/emulator/standalone'
import * as emulator from './emulator.ts'
import { pipelinesSeedSchema } from './seed/schema.ts'
import * as seeds from './seed/seeds.ts'

export type { FaultAction, FaultRule, Faults, Fetch, ListenOptions, LoggedRequest } from '@mcp-toolkits/emulator'
export type { EmulatorClock, SeedContents, SnapshotDiff } from '@mcp-toolkits/emulator/standalone'
export type { PipelinesReaders, PipelinesRequest, PipelinesSettings } from './emulator.ts'
export type { Outcome, PipelinesEvent } from './events.ts'

/** A new database's content: the name of a seed, or the content of a seed file. */
export type PipelinesSeed = seeds.PipelinesSeedName | SeedContents

/** Location and initial content of the data, and behaviour of the emulated API. */
export interface PipelinesEmulatorOptions extends StandaloneOptions<PipelinesSeed>, emulator.PipelinesSettings {}

/** A local Customer.io Pipelines API. */
export interface PipelinesEmulator extends Emulator<emulator.PipelinesReaders>, TestControls {}

/** Opens a local Customer.io Pipelines API; in memory unless `file` is given. Throws `SeedError` if contents do not match the schema. */
export function pipelinesEmulator({ file, seed, at, ...settings }: PipelinesEmulatorOptions = {}): PipelinesEmulator {
  return standalone({ file, seed, at }, pipelinesSeedSchema, (options) => emulator.openPipelines({ ...settings, ...options }))
}

/** Reads a seed, given the name of a built-in one or the path of a YAML or JSON file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<PipelinesSeed> {
  return seeds.readSeed(text)
}
