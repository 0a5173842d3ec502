import type { Rule } from '@mcp-toolkits/emulator'
import { ruleProblems } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { pipelinesRules } from '../src/index.ts'

it('covers every rule by a test', () => {
  expect(ruleProblems(pipelinesRules, new URL('.', import.meta.url))).toEqual([])
})

it('says that it assumes what the vendor does not document', () => {
  const assumed = Object.entries<Rule>(pipelinesRules).flatMap(([id, { verdict }]) => (verdict === 'assumed' ? [id] : []))
  expect(assumed).toEqual(expect.arrayContaining(['strict/bad-key-text', 'strict/too-large', 'messages/duplicate']))
})
