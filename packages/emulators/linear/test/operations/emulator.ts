import type { LinearEmulatorOptions } from '../../src/index.ts'
import { openEmulator } from '../emulator.ts'

/** An emulator without limits, with a clock that only `pass` moves. */
export const openUnlimited = (options: LinearEmulatorOptions = {}) =>
  openEmulator({ limits: { requests: 100_000, points: 100_000_000 }, ...options })
