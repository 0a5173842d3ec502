import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { driveRules } from '../src/index.ts'
import { extendedRules } from '../src/api/extended-api.ts'

it('covers every rule by a test', () => {
  expect(ruleProblems({ ...driveRules, ...extendedRules }, new URL('.', import.meta.url))).toEqual([])
})
