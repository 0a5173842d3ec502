import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { linearRules } from '../src/index.ts'

it('covers every rule by a test', () => {
  expect(ruleProblems(linearRules, new URL('.', import.meta.url))).toEqual([])
})
