import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { wholeRules } from '../../src/whole/rules.ts'

it('covers every rule of the whole API by a test', () => {
  expect(ruleProblems(wholeRules, new URL('.', import.meta.url))).toEqual([])
})
