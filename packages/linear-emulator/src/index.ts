export { linearBehaviours } from './behaviours.ts'
export { linearEmulator, type LinearEmulator, type LinearEmulatorOptions } from './emulator.ts'
export type { Row } from './noun.ts'
export type { LinearMutation, LinearReaders } from './readers.ts'
