export { pipelinesEmulator, type PipelinesEmulatorOptions, type PipelinesReaders, type PipelinesRequest } from './emulator.ts'
export type { Outcome, PipelinesEvent } from './events.ts'
export { pipelinesRules } from './rules.ts'
