import { expect, it } from 'vitest'
import * as z from 'zod'
import { innerType, synonyms, vocabularyOf, withImplied, withVocabulary, words } from './vocabulary.ts'

it('is written as words, or as synonyms by their value', () => {
  expect(words('ticket task')).toEqual(['ticket', 'task'])
  expect(synonyms({ high: 'major important', low: 'minor' })).toEqual({ major: 'high', important: 'high', minor: 'low' })
})

it('has the arguments that a name implies, if any', () => {
  expect(withImplied(['query', 'q'])).toEqual([
    ['query', {}],
    ['q', {}],
  ])
  expect(withImplied('query q')).toEqual(withImplied(['query', 'q']))
  expect(withImplied({ key: { lookup_by: 'key' } })).toEqual([['key', { lookup_by: 'key' }]])
})

it('of an optional parameter comes before that of its type, and what is said twice is combined', () => {
  const type = withVocabulary(z.string(), { names: ['state'], isNothingAbsent: true })
  const parameter = withVocabulary(type.nullable().optional(), { names: ['status'] })
  expect(vocabularyOf(parameter)).toEqual({ names: ['status'], isNothingAbsent: true })
  expect(vocabularyOf(type)).toEqual({ names: ['state'], isNothingAbsent: true })
  withVocabulary(type, { values: { done: 'completed' } })
  expect(vocabularyOf(z.string())).toEqual({})
  expect(vocabularyOf(type.default('open'))).toEqual({ names: ['state'], isNothingAbsent: true, values: { done: 'completed' } })
  expect(innerType(z.array(type))).toBeUndefined()
})
