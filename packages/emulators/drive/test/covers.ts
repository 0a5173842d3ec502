import { coverageOf } from '@mcp-toolkits/emulator/testing'
import type { driveRules } from '../src/index.ts'

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof driveRules>()
