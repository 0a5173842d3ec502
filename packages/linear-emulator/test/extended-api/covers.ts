import { coverageOf } from '@mcp-toolkits/emulator/testing'
import type { extendedRules } from '../../src/extended-api/rules.ts'

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof extendedRules>()
