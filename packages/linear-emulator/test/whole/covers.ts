import { coverageOf } from '@mcp-toolkits/emulator/testing'
import type { wholeRules } from '../../src/whole/rules.ts'

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof wholeRules>()
