import { openEmulator } from '../emulator.ts'
import type { LinearEmulatorOptions } from '../../src/index.ts'
import { wholeApi } from '../../src/whole/index.ts'

/** An emulator of Linear's whole schema, with a clock that only `pass` moves. */
export const openWhole = (options: LinearEmulatorOptions = {}) =>
  openEmulator({ api: wholeApi, limits: { requests: 100_000, points: 100_000_000 }, ...options })
