import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ErrorBody } from '../errors/errors.ts'
import { InvalidInput } from '../errors/errors.ts'
import { manualCall } from '../../test/manual-clock.ts'
import { toolkit } from '../tool/tool.ts'
import { understandArguments } from './read-arguments.ts'
import { withVocabulary } from './vocabulary.ts'

const input = z.strictObject({
  title: z.string().min(1),
  team: z.string(),
  priority: z.enum(['urgent', 'high', 'medium', 'low']).optional(),
  estimate: z.literal([1, 2, 4]).optional(),
  labels: z.array(z.enum(['bug', 'chore'])).optional(),
  due: z.union([z.string(), z.number()]).optional(),
  count: z.number().max(5).optional(),
  options: z.strictObject({ notify: z.boolean(), at: z.object({ hour: z.int() }).optional() }).optional(),
})

const names = 'title, team, priority, estimate, labels, due, count, options'
const good = { title: 'T', team: 'ENG' }

/** A call's error, as the caller reads it. */
async function refused(args: unknown, of: z.ZodObject = input): Promise<ErrorBody> {
  const described = { name: 'T', title: 'T', description: '', effect: 'read', scopes: [], output: z.object({}), example: {} } as const
  const tool = toolkit<undefined, never>()({ ...described, input: of, run: () => Promise.resolve({}) })
  try {
    await tool.execute(args, undefined, manualCall())
  } catch (error) {
    if (error instanceof InvalidInput) return error.toJSON()
  }
  throw new Error('Not refused.')
}

describe('an unknown argument', () => {
  it('is reported with the expected ones, without a suggestion when none is close', async () => {
    expect(await refused({ ...good, xyzzy: 1 })).toEqual({
      code: 'invalid_input',
      message: `Unknown argument "xyzzy". Expected arguments: ${names}.`,
      retryable: false,
    })
  })

  it('that is misspelt comes with the corrected arguments', async () => {
    const error = await refused({ ...good, priorty: 'high' })
    expect(error.next).toEqual({ change: { priorty: null, priority: 'high' } })
    expect(error.suggestions?.map(({ value }) => value)).toEqual(['priority'])
  })

  it.each<[string, string]>([
    ['an enum', '{"title":"T","team":"ENG","__proto__":{"a":1},"priorty":{"a":1}}'],
    ['a text', '{"titel":{"a":1},"team":"ENG"}'],
    ['a number', '{"title":"T","team":"ENG","coun":"many"}'],
  ])('whose value %s does not accept comes without a change', async (_, json) => {
    expect((await refused(JSON.parse(json))).next).toBeUndefined()
  })

  it('may be a misspelt required one, or one that was also sent as null', async () => {
    const error = await refused({ titel: 'T', title: null, team: 'ENG' })
    expect(error.message).toContain('"title" is required.')
    expect(error.message).toContain('Unknown argument "titel".')
    expect(error.next).toEqual({ change: { titel: null, title: 'T' } })
  })

  it('that something else carries out is said to be, and no call without it is proposed', async () => {
    const elsewhere = { note: [['To comment, use another tool.']], 'priority:blocker': [['A blocker is a label.']] }
    const noted = withVocabulary(z.strictObject(input.shape), { elsewhere })
    const error = await refused({ title: 'T', taem: 'ENG', note: 'Urgent', priority: 'Blocker' }, noted)
    expect(error.message).toMatch(
      /To comment, use another tool\. A blocker is a label\. The rest of the call, corrected and without .priority.: {.title.:.T.,.team.:.ENG.}\.$/,
    )
    expect(error.suggestions?.map(({ value }) => value)).toEqual(['team'])
    expect(error).not.toHaveProperty('next')
  })

  it('never replaces an argument that was passed', async () => {
    expect((await refused({ ...good, titel: 'other' })).next?.change ?? {}).not.toHaveProperty('title')
  })

  it('comes with the corrections of all that are misspelt, up to five', async () => {
    expect((await refused({ titel: 'T', taem: 'ENG' })).next).toEqual({ change: { titel: null, title: 'T', taem: null, team: 'ENG' } })
    const unknown = { x1: 1, x2: 1, x3: 1, x4: 1, x5: 1 }
    expect((await refused({ ...good, ...unknown })).message).toContain('"x4", "x5". Expected')
    const error = await refused({ ...good, ...unknown, priorty: 'high' })
    expect(error.message).toContain('"x5" and 1 more. Expected')
    expect(error).not.toHaveProperty('suggestions')
  })

  it('has no fix when two correct to the same argument, and the closer is suggested', async () => {
    const error = await refused({ ...good, priorty: 'high', priorities: 'low' })
    expect(error.message).toContain('Unknown arguments "priorty", "priorities".')
    expect(error.suggestions).toMatchObject([{ value: 'priority', parameter: 'priorty' }])
    expect(error).not.toHaveProperty('next')
  })

  it('of a tool without arguments is left out', async () => {
    const { message, next } = await refused({ verbose: true }, z.strictObject({}))
    expect(message).toBe('Unknown argument "verbose". Expected arguments: none.')
    expect(next).toEqual({ change: { verbose: null } })
    expect((await refused([], z.strictObject({}))).message).toBe('The arguments must be one JSON object. Expected: none.')
  })

  it('may have the name of a member of every object', async () => {
    const args: unknown = JSON.parse('{"title":"T","team":"ENG","constructor":1,"toString":2}')
    expect((await refused(args)).message).toBe(`Unknown arguments "constructor", "toString". Expected arguments: ${names}.`)
  })

  it('inside an argument is reported with its path', async () => {
    expect((await refused({ ...good, options: { notify: true, loud: 1 } })).message).toBe('"options" has unknown keys: loud.')
  })
})

describe('a wrong value', () => {
  it('of an enum is reported with the allowed values, and corrected when it is misspelt', async () => {
    expect(await refused({ ...good, priority: 'hihg' })).toMatchObject({
      message: '"priority" must be "urgent" or "high" or "medium" or "low", not "hihg".',
      suggestions: [{ value: 'high' }],
      next: { change: { priority: 'high' } },
    })
    const far = await refused({ ...good, priority: 'whenever you like' })
    expect(far).not.toHaveProperty('next')
    expect(far).not.toHaveProperty('suggestions')
  })

  it('in a list is reported with its place and a suggestion', async () => {
    const error = await refused({ ...good, labels: ['bug', 'chor'] })
    expect(error.message).toBe('Item 2 of "labels" must be "bug" or "chore", not "chor".')
    expect(error.suggestions).toEqual([{ value: 'chore', parameter: 'labels', confidence: 0.9 }])
    expect(error.next).toEqual({ change: { labels: ['bug', 'chore'] } })
  })

  it('of another type than an enum is reported without a suggestion, and a missing one with the allowed values', async () => {
    const error = await refused({ ...good, priority: 7 })
    expect(error.message).toBe('"priority" must be "urgent" or "high" or "medium" or "low", not 7.')
    expect(error).not.toHaveProperty('suggestions')
    const chosen = z.strictObject({ type: z.enum(['text', 'image']) })
    expect((await refused({}, chosen)).message).toBe('"type" is required: "text" or "image".')
  })

  it('that is long is cut to the same length, a text or not', async () => {
    const list = '"urgent" or "high" or "medium" or "low"'
    expect((await refused({ ...good, priority: 'x'.repeat(1000) })).message).toBe(`"priority" must be ${list}, not "${'x'.repeat(80)}…".`)
    expect((await refused({ ...good, priority: ['x'.repeat(1000)] })).message).toBe(`"priority" must be ${list}, not ["${'x'.repeat(77)}….`)
  })

  it('that is long is cut', async () => {
    const { message } = await refused({ ...good, priority: 'x'.repeat(1000) })
    expect(message.length).toBeLessThan(200)
    expect(message).toContain('xxx…')
  })

  it.each([
    [{ ...good, title: true }, '"title" must be a string.'],
    [{ ...good, labels: 'bgu' }, '"labels" must be a list.'],
    [{ ...good, options: [] }, '"options" must be an object.'],
    [{ ...good, options: {} }, '"options.notify" is required.'],
    [{ ...good, options: { notify: 'yes' } }, '"options.notify" must be a boolean.'],
    [{ ...good, options: { notify: true, at: { hour: 1.5 } } }, '"options.at.hour" must be a whole number.'],
    [{ ...good, due: true }, '"due" must be a string or a number.'],
    [{ ...good, estimate: 3 }, '"estimate" must be 1 or 2 or 4, not 3.'],
    [
      { title: 'T', team: '', priority: true, due: [], count: 'x' },
      '"priority" must be "urgent" or "high" or "medium" or "low", not true. "due" must be a string or a number. "count" must be a number.',
    ],
    [{ ...good, count: 6 }, '"count" must be at most 5, not 6.'],
    [{ team: 'ENG' }, '"title" is required.'],
  ])('%j is reported with its path and what is expected', async (args, message) => {
    expect((await refused(args)).message).toBe(message)
  })

  const formed = z.strictObject({
    names: z.array(z.string()).max(2).optional(),
    limit: z.int().max(50).default(20),
    share: z.number().optional(),
    loud: z.boolean().optional(),
    options: z.object({ limit: z.int() }).optional(),
  })

  it.each([
    [{ limit: '51' }, { limit: 50 }],
    [{ limit: 51 }, { limit: 50 }],
    [{ loud: '1' }, { loud: true }],
    [{ loud: 0 }, { loud: false }],
    [{ names: 'Bug, Chore' }, { names: ['Bug', 'Chore'] }],
  ])('%j comes with a change to %j', async (args, change) => {
    expect((await refused(args, formed)).next).toEqual({ change })
  })

  it.each([
    { names: true },
    { names: '["a","b","c"]' },
    { limit: '3.5' },
    { limit: 'three' },
    { limit: ['3', '4'] },
    { share: 'null' },
    { share: 'NaN' },
    { share: '1e3' },
    { options: 'null' },
    { options: { limit: '1' } },
  ])('%j is not converted when that would not be valid', async (args) => {
    expect(await refused(args, formed)).not.toHaveProperty('next')
  })

  it('of an enum comes with the message of the schema', async () => {
    const chosen = z.strictObject({ type: z.enum(['text', 'image'], 'Leave it out for any other type') })
    const error = await refused({ type: 'video' }, chosen)
    expect(error.message).toBe('"type" must be "text" or "image", not "video". Leave it out for any other type.')
  })

  const bounded = z.strictObject({
    word: z.string().min(1).max(3).optional(),
    code: z.string().length(2).optional(),
    list: z.array(z.string()).min(2).optional(),
    share: z.number().gt(0).lt(1).optional(),
    told: z.int().max(5, 'Five are enough').optional(),
    letter: z.string().max(1).optional(),
    single: z.array(z.string()).max(1).optional(),
    address: z.email('Give an email address').optional(),
    even: z.number().multipleOf(2).optional(),
    named: z
      .string()
      .refine((name) => name !== 'x', 'Choose another name')
      .optional(),
    any: z.record(z.string().max(1), z.number()).optional(),
    either: z.union([z.object({ a: z.string() }), z.number()]).optional(),
    sort: z.union([z.enum(['name']), z.boolean()]).optional(),
    numbers: z.array(z.int()).max(2).optional(),
    state: z.string().max(3, 'Use at most three letters').optional(),
    twice: z
      .string()
      .refine((name) => name !== 'x', 'Choose another name')
      .refine((name) => name.length > 1, 'Choose another name')
      .optional(),
  })

  it.each([
    [{ word: 'four' }, '"word" must have at most 3 characters, not 4.'],
    [{ code: 'x' }, '"code" must have exactly 2 characters, not 1.'],
    [{ list: ['x'] }, '"list" must have at least 2 items, not 1.'],
    [{ share: 1 }, '"share" must be less than 1, not 1.'],
    [{ share: 0 }, '"share" must be more than 0, not 0.'],
    [{ letter: 'ab' }, '"letter" must have at most 1 character, not 2.'],
    [{ single: ['a', 'b'] }, '"single" must have at most 1 item, not 2.'],
    [{ address: 'x' }, '"address" give an email address.'],
    [{ even: 3 }, '"even" invalid number: must be a multiple of 2.'],
    [{ named: 'x' }, '"named" choose another name.'],
    [{ any: { ab: 1 } }, '"any.ab" invalid key in record.'],
    [{ either: { a: 1 } }, '"either" must be a different kind of value.'],
    [{ sort: 7 }, '"sort" must be a different kind of value.'],
    [{ word: 'four', list: 5 }, '"word" must have at most 3 characters, not 4. "list" must be a list.'],
    [{ numbers: 'abc' }, '"numbers" must be a list.'],
    [{ numbers: { length: 3 } }, '"numbers" must be a list.'],
    [{ state: 'Done!' }, '"state" use at most three letters.'],
    [{ twice: 'x' }, '"twice" choose another name.'],
  ])('%j is reported with the bound', async (args, message) => {
    const error = await refused(args, bounded)
    expect(error.message).toBe(message)
    expect(error).not.toHaveProperty('next')
  })

  it('that is required must not be empty', async () => {
    expect((await refused({ word: '' }, z.strictObject({ word: z.string().min(1) }))).message).toBe('"word" must not be empty.')
  })

  it('that is a number beyond its bound is changed to the bound', async () => {
    expect((await refused({ ...good, count: 6 })).next).toEqual({ change: { count: 5 } })
  })

  it('that breaks a rule between arguments is reported without a path', async () => {
    const between = z.strictObject({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to, 'Give "from" below "to"')
    expect((await refused({ from: 2, to: 1 }, between)).message).toBe('Give "from" below "to".')
  })

  it('of a union that is missing is required', async () => {
    expect((await refused({}, z.strictObject({ due: z.union([z.string(), z.number()]) }))).message).toBe('"due" is required.')
  })
})

describe('several problems', () => {
  it('are reported together, without a change when not all can be corrected', async () => {
    const error = await refused({ titel: 'T', priority: 'hgih', labels: true })
    for (const part of [
      '"title" is required.',
      '"team" is required.',
      '"labels" must be a list.',
      'not "hgih".',
      'Unknown argument "titel".',
    ])
      expect(error.message).toContain(part)
    expect(error).not.toHaveProperty('next')
    expect(error.suggestions?.map(({ value }) => value).toSorted()).toEqual(['high', 'title'])
  })

  const nested = z.strictObject({
    options: z.strictObject({ tags: z.array(z.enum(['bug', 'chore'])) }).optional(),
    people: z.array(z.strictObject({ name: z.string() })).optional(),
    rows: z.array(z.array(z.int())).optional(),
    labels: z.array(z.enum(['bug', 'chore'])).optional(),
  })

  it.each([
    [{ options: { tags: [1] } }, 'Item 1 of "options.tags" must be "bug" or "chore", not 1.'],
    [{ people: [{}, { name: 'Ada' }, {}] }, 'Row 1: "name" is required. Row 3: "name" is required.'],
    [{ rows: [['x'], [1]] }, 'Row 1: Item 1 must be a number.'],
  ])('of the items of a list are reported with their places: %j', async (args, message) => {
    expect((await refused(args, nested)).message).toBe(message)
  })

  it.each([
    [12, ''],
    [13, ' 1 more problem is not listed.'],
    [3_000, ' 2988 more problems are not listed.'],
  ])('of %i items are listed up to twelve', async (count, more) => {
    const { message } = await refused({ labels: Array.from({ length: count }, (_, index) => index) }, nested)
    expect(message).toContain('Item 12 of "labels" must be "bug" or "chore", not 11.')
    expect(message.endsWith(`not 11.${more}`)).toBe(true)
  })
})

describe('arguments that are no object', () => {
  it.each([[[]], ['title: T'], [7], [true]])('%j are refused with the names that are expected', (args) => {
    expect(() => understandArguments(input, args, '2026-11-22')).toThrow(`The arguments must be one JSON object. Expected: ${names}.`)
  })
})

describe('a large call', () => {
  const manyNames = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`tite${index}`, index]))

  it('with many unknown names is answered with the first ones and their number', async () => {
    const error = await refused({ ...good, ...manyNames })
    expect(error.message).toBe(
      `Unknown arguments "tite0", "tite1", "tite2", "tite3", "tite4" and 39995 more. Expected arguments: ${names}.`,
    )
    expect(error.suggestions?.length ?? 0).toBeLessThanOrEqual(5)
  })

  it('with many unknown keys inside an argument is answered with the first ones', async () => {
    const { message } = await refused({ ...good, options: { notify: true, ...manyNames } })
    expect(message).toBe('"options" has unknown keys: tite0, tite1, tite2, tite3, tite4 and 39995 more.')
  })

  it('with many wrong items is answered with the first problems and the number of the others', async () => {
    const { message } = await refused({ ...good, labels: Array.from({ length: 40_000 }, () => 'bgu') })
    expect(message).toMatch(/^Item 1 of "labels" must be "bug" or "chore", not "bgu"\. .* 39988 more problems are not listed\.$/)
  })

  it.each([
    ['a name', 'x'],
    ['a name of blanks', ' '],
    ['a name that resembles a parameter', 'title'],
    ['a name with combining marks', 'e\u0301'],
  ])('with %s of a megabyte is answered with its beginning', async (_, part) => {
    const { message } = await refused({ ...good, [part.repeat(1_000_000 / part.length)]: 1 })
    expect(message.length).toBeLessThan(300)
    expect(message).toContain('…')
  })

  it('with a value of a megabyte where a word is expected is answered with its beginning', async () => {
    expect((await refused({ ...good, priority: 'high'.repeat(250_000) })).message.length).toBeLessThan(200)
  })
})
