export { pipelinesBehaviours } from './behaviours.ts'
export { pipelinesEmulator, type PipelinesEmulatorOptions, type PipelinesReaders, type PipelinesRequest } from './emulator.ts'
export type { Outcome, PipelinesEvent } from './events.ts'
