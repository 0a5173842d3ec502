import { coverageOf } from '@mcp-toolkits/emulator/testing'
import { extendedApi } from '../../src/extended-api/index.ts'
import type { extendedRules } from '../../src/rules/extended.ts'
import type { LinearEmulatorOptions } from '../../src/index.ts'
import { openEmulator } from '../emulator.ts'

/** An emulator with the extended API, with a clock that only `pass` moves. */
export const openExtended = (options: LinearEmulatorOptions = {}) =>
  openEmulator({ api: extendedApi, limits: { requests: 100_000, points: 100_000_000 }, ...options })

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof extendedRules>()
