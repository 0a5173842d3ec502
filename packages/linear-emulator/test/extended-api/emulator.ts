import { openEmulator } from '../emulator.ts'
import type { LinearEmulatorOptions } from '../../src/index.ts'
import { extendedApi } from '../../src/extended-api/index.ts'

/** An emulator with the extended API, with a clock that only `pass` moves. */
export const openExtended = (options: LinearEmulatorOptions = {}) =>
  openEmulator({ api: extendedApi, limits: { requests: 100_000, points: 100_000_000 }, ...options })
