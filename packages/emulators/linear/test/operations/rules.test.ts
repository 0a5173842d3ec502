import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { extendedRules } from '../../src/rules/extended.ts'

it('covers every rule of the extended API by a test', () => {
  expect(ruleProblems(extendedRules, new URL('.', import.meta.url))).toEqual([])
})
