import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { driveRules } from '../src/index.ts'

it('covers every rule by a test', () => {
  expect(ruleProblems(driveRules, new URL('.', import.meta.url))).toEqual([])
})
