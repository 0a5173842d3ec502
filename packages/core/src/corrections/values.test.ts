import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parametersOf } from './parameters.ts'
import { readValue } from './values.ts'
import { type Vocabulary, withVocabulary } from './vocabulary.ts'

const today = '2026-11-22'

/** Reads a value for a parameter with this schema. */
function read(schema: z.ZodType, written: unknown, name = 'it') {
  const [parameter] = parametersOf(z.strictObject({ [name]: schema }))
  return parameter && readValue(parameter, written, today)
}

const priority = z.enum(['urgent', 'high', 'medium', 'low']).optional()
const formats = z.array(z.enum(['pdf', 'document'])).optional()
const flag = z.boolean().optional()
const vocabulary = (given: Vocabulary) => withVocabulary(z.enum(['open', 'done']).optional(), given)

describe('a boolean', () => {
  it.each<[unknown, object | undefined]>([
    ['TRUE', { equal: true }],
    [' "false" ', { equal: false }],
    ['yes', { likely: true }],
    ['On', { likely: true }],
    ['1', { likely: true }],
    [1, { likely: true }],
    ['no', { likely: false }],
    ['off', { likely: false }],
    ['0', { likely: false }],
    [0, { likely: false }],
    [2, undefined],
    ['maybe', undefined],
    [{}, undefined],
  ])('is read from %j as %j', (written, reading) => {
    expect(read(flag, written)).toEqual(reading)
  })

  it('that has to be true is read as well, and as nothing else', () => {
    expect(read(z.literal(true), 'yes')).toEqual({ likely: true })
    expect(read(z.literal(true), 'no')).toBeUndefined()
  })
})

describe('a number', () => {
  it.each([
    ['1.000', [1, 1000]],
    ['1,000', [1000, 1]],
  ])('with a mark before three digits has two meanings: %j', (written, possible) => {
    expect(read(z.number().optional(), written)).toEqual({ possible })
  })

  it.each<[string, number | undefined]>([
    ['5', 5],
    ['-3', -3],
    ['+3', 3],
    ['2.75', 2.75],
    [' “12” ', 12],
    ['5 weeks', undefined],
    ['x5', undefined],
    ['2.', undefined],
    ['', undefined],
  ])('is read from %j as %j', (written, value) => {
    expect(read(z.number().optional(), written)).toEqual(value === undefined ? undefined : { equal: value })
  })

  it.each<[unknown, object | undefined]>([
    [51, { likely: 50 }],
    [0, undefined],
    [49.5, { possible: [49, 50] }],
    ['49.5', { possible: [49, 50] }],
    ['all', { likely: 50 }],
    ['many', undefined],
    [true, undefined],
  ])('between 1 and 50 is read from %j as %j', (written, reading) => {
    expect(read(z.int().min(1).max(50), written)).toEqual(reading)
  })

  it('beside another type is read too', () => {
    expect(read(z.union([z.iso.date(), z.int()]), '7')).toEqual({ equal: 7 })
    expect(read(z.literal([1, 2, 4]), '2')).toEqual({ equal: 2 })
    expect(read(z.literal([1, 2, 4]), '3')).toBeUndefined()
  })
})

describe('a text', () => {
  const key = z.string().regex(/^[A-Z]+-\d+$/)

  it('is read without blanks around it, and from a number', () => {
    expect(read(key, ' ENG-12\n')).toEqual({ equal: 'ENG-12' })
    expect(read(z.string(), 2027)).toEqual({ equal: '2027' })
    expect(read(z.string(), 0.5)).toEqual({ equal: '0.5' })
  })

  it.each<[unknown]>([['ENG 12'], [12], [true], [Infinity], [null], [[]]])('is not read from %j', (written) => {
    expect(read(key, written)).toBeUndefined()
  })

  it('is not read from what is no finite number', () => {
    expect(read(z.string(), Infinity)).toBeUndefined()
    expect(read(z.string(), true)).toBeUndefined()
  })

  it('is not read from an integer that has lost digits', () => {
    expect(read(z.string(), Number.MAX_SAFE_INTEGER)).toEqual({ equal: '9007199254740991' })
    expect(read(z.string(), Number('12345678901234567890'))).toBeUndefined()
    expect(read(z.array(z.string()), [-(2 ** 53)])).toBeUndefined()
  })
})

describe('an object', () => {
  const options = z.strictObject({ notify: z.boolean() }).optional()

  it.each(['{"notify":true}', '{"notify":true', '{"notify":"loudly"}', 'null', 'notify}', ''])(
    'is not read from %j, nor left out',
    (written) => {
      expect(read(options, written)).toBeUndefined()
    },
  )
})

describe('a record where a name is expected', () => {
  it.each<[object, string | undefined]>([
    [{ name: 'Bug', color: 'red' }, 'Bug'],
    [{ id: 'l1', name: 'Bug' }, 'l1'],
    [{ id: '31', name: 'Bug' }, 'Bug'],
    [{ identifier: 'ENG-1', key: 'ENG', __typename: 'Issue' }, 'ENG-1'],
    [{ email: 'ada@acme.example', name: 'Ada', displayName: 'ada' }, 'ada@acme.example'],
    [{ key: 'ENG', email: 'eng@acme.example', url: 'https://acme.example' }, 'ENG'],
    [{ id: '', name: 'Ada', display_name: 'ada' }, 'Ada'],
    [{ id: ' ', value: 'Ada', title: 'Dr', type: 'user' }, 'Ada'],
    [{ id: 7, name: 'Ada' }, 'Ada'],
    [{ eq: 'Ada' }, undefined],
    [{ name: { neq: 'Ada' } }, undefined],
    [{ neq: 'Ada' }, undefined],
    [{ name: 'Ada', not: true }, undefined],
    [{ title: 'Dr' }, undefined],
    [{}, undefined],
  ])('%j is read as %j', (written, value) => {
    expect(read(z.string(), written)).toEqual(value === undefined ? undefined : { likely: value })
  })

  it('is none of a parameter that takes no text', () => {
    expect(read(z.int(), { id: '7' })).toBeUndefined()
    expect(read(z.array(z.string()), { name: 'Bug' })).toEqual({ likely: ['Bug'] })
  })
})

describe('a list', () => {
  const lists = { names: z.array(z.string()), formats, dates: z.array(z.iso.date()) }

  it.each<[keyof typeof lists, unknown, object | undefined]>([
    ['names', 'Bug', { equal: ['Bug'] }],
    ['names', ' ["Bug", "UX"] ', { equal: ['Bug', 'UX'] }],
    ['names', "['Bug', \"Ann's\",]", { likely: ['Bug', "Ann's"] }],
    ['names', "['Bug']", { likely: ['Bug'] }],
    ['names', '[Bug, UX]', { likely: ['Bug', 'UX'] }],
    ['names', '[Bug]', { equal: ['[Bug]'] }],
    ['names', 'Bug; UX\nDocs', { likely: ['Bug', 'UX', 'Docs'] }],
    ['names', 'Bug,', { equal: ['Bug,'] }],
    ['names', 'Bug,,UX', { equal: ['Bug,,UX'] }],
    ['names', 7, { equal: ['7'] }],
    ['formats', 'PDF;document', { equal: ['pdf', 'document'] }],
    ['formats', 'pdfs, document', { likely: ['pdf', 'document'] }],
    ['formats', 'pdf, xyzzy', { possible: [['pdf']] }],
    ['formats', 'xyzzy, abc', undefined],
    ['formats', true, undefined],
    ['dates', ['03/04/2027'], { possible: [['2027-04-03'], ['2027-03-04']] }],
    ['dates', ['03/04/2027', '2027-01-01'], undefined],
    ['dates', ['2027/01/31', '2027-02-01'], { likely: ['2027-01-31', '2027-02-01'] }],
  ])('of %s is read from %j as %j', (kind, written, reading) => {
    expect(read(lists[kind], written)).toEqual(reading)
  })

  it('has no item that stands for nothing', () => {
    const type = withVocabulary(z.enum(['pdf', 'document']), { values: { any: null } })
    expect(read(z.array(type).optional(), ['pdf', 'any'])).toBeUndefined()
  })

  it('of a thousand items is read, a longer one is not', () => {
    const written = (length: number) => Array.from({ length }, () => 'PDF')
    expect(read(formats, written(1_000))).toEqual({ equal: written(1_000).map(() => 'pdf') })
    expect(read(formats, written(1_001))).toBeUndefined()
  })

  it.each([
    ['deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['long', `["${'x'.repeat(200_000)}"]`],
    ['long and not JSON', `${'x'.repeat(200_000)},y`],
  ])('is not read from a text that is too %s', (_, written) => {
    expect(read(lists.names, written)).toBeUndefined()
  })

  it('in a list is no value', () => {
    expect(read(z.string(), ['a'])).toEqual({ equal: 'a' })
    expect(read(z.string(), [['a']])).toBeUndefined()
  })

  it('where one value is expected offers up to five that are accepted', () => {
    expect(read(priority, ['HIGH'])).toEqual({ equal: 'high' })
    expect(read(priority, ['high', 'low', 'xyzzy'])).toEqual({ possible: ['high', 'low'] })
    expect(read(z.string(), ['a', 'b', 'c', 'd', 'e'])).toEqual({ possible: ['a', 'b', 'c', 'd', 'e'] })
    expect(read(z.string(), ['a', 'b', 'c', 'd', 'e', 'f'])).toBeUndefined()
    expect(read(z.string(), [])).toBeUndefined()
  })

  it.each([
    ['before', z.union([z.array(z.enum(['name', 'size'])), z.enum(['name', 'size'])])],
    ['after', z.union([z.enum(['name', 'size']), z.array(z.enum(['name', 'size']))])],
  ])('%s a single value is made of one only where several are written', (_, schema) => {
    expect(read(schema, 'Name')).toEqual({ equal: 'name' })
    expect(read(schema, 'nmae')).toEqual({ likely: 'name' })
    expect(read(schema, ['Name', 'size'])).toEqual({ equal: ['name', 'size'] })
  })
})

describe('a value of a few', () => {
  it.each<[unknown, object | undefined]>([
    ['No Way', undefined],
    ['HIGH', { equal: 'high' }],
    ['hihg', { likely: 'high' }],
    ['high priority', { possible: ['high'] }],
    ['+high', undefined],
    ['low+ ', undefined],
    [true, undefined],
    ['x'.repeat(5_000), undefined],
    [`high${' '.repeat(200)}unless it is blocked`, undefined],
  ])('is read from %j as %j', (written, reading) => {
    expect(read(priority, written)).toEqual(reading)
  })

  it('may be a constant, or a text that looks like a boolean', () => {
    expect(read(z.literal('issue'), 'Issue')).toEqual({ equal: 'issue' })
    expect(read(z.enum(['true', 'false', 'any']), true)).toEqual({ equal: 'true' })
  })

  it('is not chosen between two that are as close', () => {
    expect(read(z.enum(['test', 'text', 'image']), 'tezt')).toEqual({ possible: ['test', 'text'] })
  })
})

describe('the vocabulary of a parameter', () => {
  it('has synonyms, which are read with a slip of the pen too', () => {
    const state = vocabulary({ values: { closed: 'done', closes: 'done', finished: 'done', anything: null } })
    expect(read(state, 'Finished')).toEqual({ likely: 'done' })
    expect(read(state, 'finishd')).toEqual({ likely: 'done' })
    expect(read(state, 'closd')).toEqual({ likely: 'done' })
    expect(read(state, 'anythin')).toEqual({ likely: null })
    expect(read(state, 'anything goes')).toBeUndefined()
    expect(read(state, 'unfinished')).toBeUndefined()
  })

  it('has synonyms for what no list of values has', () => {
    const estimate = withVocabulary(z.int().max(8), { values: { small: 1, large: 8 } })
    expect(read(estimate, 'large')).toEqual({ likely: 8 })
    expect(read(estimate, 'lrage')).toEqual({ likely: 8 })
  })

  it('offers only what is accepted, five meanings at most', () => {
    const offered = (...possible: readonly unknown[]) => vocabulary({ read: () => ({ possible }) })
    expect(read(offered('open', 'shut', 'done'), 'later')).toEqual({ possible: ['open', 'done'] })
    expect(read(offered('shut'), 'later')).toBeUndefined()
    const any = withVocabulary(z.string().min(2), { read: () => ({ possible: ['a', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg'] }) })
    expect(read(any, '')).toEqual({ possible: ['bb', 'cc', 'dd', 'ee', 'ff'] })
  })

  it('says whether an empty text means that nothing is set', () => {
    const blank = vocabulary({ isNothingAbsent: true })
    expect(read(blank, ' ')).toEqual({ likely: null })
    expect(read(blank, 'opne')).toEqual({ likely: 'open' })
    expect(read(vocabulary({}), '')).toBeUndefined()
    expect(read(withVocabulary(z.string().min(1), { isNothingAbsent: true }), '')).toBeUndefined()
  })
})

it('a long list is checked once, however often its parameter is asked about it', () => {
  let checks = 0
  const short = z.array(z.string()).refine(() => {
    checks += 1
    return false
  })
  const [parameter] = parametersOf(z.strictObject({ it: short }))
  const written = ['a', 'b']
  expect([parameter?.accepts(written), parameter?.accepts(written), parameter?.accepts(undefined)]).toEqual([false, false, false])
  expect(checks).toBe(1)
})

it('an optional parameter accepts everything but what is missing', () => {
  const [parameter] = parametersOf(z.strictObject({ it: priority }))
  expect([parameter?.accepts('high'), parameter?.accepts(undefined)]).toEqual([true, false])
})
