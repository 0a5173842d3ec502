import { coverageOf } from '@mcp-toolkits/emulator/testing'
import type { extendedRules } from '../../src/rules/extended.ts'
import type { LinearEmulatorOptions } from '../../src/index.ts'
import { openEmulator } from '../emulator.ts'

/** An emulator without limits, with a clock that only `pass` moves. */
export const openExtended = (options: LinearEmulatorOptions = {}) =>
  openEmulator({ limits: { requests: 100_000, points: 100_000_000 }, ...options })

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof extendedRules>()
