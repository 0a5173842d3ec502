import { expect, it } from 'vitest'
import { lackingScopes, leastScope, needInWords, type ScopeRules } from './scopes.ts'

const rules: ScopeRules = {
  always: ['read'],
  within: { all: ['drive.file', 'drive.readonly'], top: ['all'], write: ['issues:create'], loop: ['loop', 'write'] },
}

it.each([
  [['read'], [], []],
  [['write'], [], ['write']],
  [['issues:create'], ['write'], []],
  [['write'], ['issues:create'], ['write']],
  [['drive.file'], ['top'], []],
  [['drive.file|drive.readonly'], ['drive.readonly'], []],
  [['drive.file|drive.readonly', 'write'], ['other'], ['drive.file|drive.readonly', 'write']],
  [['issues:create', 'x'], ['loop'], ['x']],
  [[], [], []],
] as const)('of %j, a login with %j lacks %j', (needs, granted, lacking) => {
  expect(lackingScopes(needs, granted, rules)).toEqual(lacking)
})

it('says a need in words, and what to ask for', () => {
  expect([needInWords('a|b'), leastScope('a|b'), needInWords('a'), leastScope('a')]).toEqual(['a or b', 'a', 'a', 'a'])
})
