import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { driveRules } from '../src/index.ts'
import { wholeRules } from '../src/whole.ts'

it('covers every rule by a test', () => {
  expect(ruleProblems({ ...driveRules, ...wholeRules }, new URL('.', import.meta.url))).toEqual([])
})
