import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { manualCall } from '../../test/manual-clock.ts'
import { InvalidInput } from '../errors/errors.ts'
import { toolkit } from '../tool/tool.ts'
import { understandArguments } from './read-arguments.ts'
import { withVocabulary } from './vocabulary.ts'

const blank = { isNothingAbsent: true }
const input = z.strictObject({
  team: withVocabulary(z.string().min(1), { lookup: { tool: 'T.ListTeams' } }),
  title: withVocabulary(z.string().min(1), { names: ['name'] }),
  state: withVocabulary(z.string().min(1), { names: ['status'], ...blank }).optional(),
  assignee: z.string().min(1).optional(),
  priority: withVocabulary(z.enum(['high', 'low']), blank).optional(),
  labels: z.array(z.string()).optional(),
  cursor: withVocabulary(z.string(), { names: ['page'], fits: (value) => typeof value === 'string' && value.length > 5 }).optional(),
})
const issue = { team: 'ENG', title: 'Logs' }

function read(written: unknown) {
  try {
    return { data: understandArguments(input, written, '2026-11-22').data }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { next, suggestions = [] } = error.details
    return { next, suggested: suggestions.map(({ value, parameter }) => [parameter, value]) }
  }
}

describe('arguments in the forms of other servers', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['all in one', { input: issue }, { input: null, ...issue }],
    ['all in one as JSON text', { arguments: JSON.stringify(issue) }, { arguments: null, ...issue }],
    ['all in one as text that is not quite JSON', { requestBody: "{'team': 'ENG', 'title': 'Logs',}" }, { requestBody: null, ...issue }],
    ['a record for a name', { ...issue, assignee: { name: 'Ada' } }, { assignee: 'Ada' }],
    ['a record with an id and a name', { ...issue, assignee: { name: 'Ada', id: '1' } }, { assignee: 'Ada' }],
    ['records in a list', { ...issue, labels: [{ name: 'Bug' }, 'UX'] }, { labels: ['Bug', 'UX'] }],
    ['a word for what is not set', { ...issue, priority: 'none' }, { priority: null }],
    ['null for what there is not', { ...issue, colour: null }, { colour: null }],
    [
      'what is wrapped, and is to be corrected',
      { input: { team: 'ENG', name: 'Logs', priority: 'None' } },
      { input: null, team: 'ENG', title: 'Logs' },
    ],
    ['a wrapper in another', { arguments: { input: issue } }, { arguments: null, ...issue }],
    ['a record by another key', { ...issue, assignee: { path: 'Ada' } }, { assignee: 'Ada' }],
    ['a record with a member of its own name', { title: 'Logs', team: { team: 'ENG' } }, { team: 'ENG' }],
    ['a record of two arguments', { team: 'ENG', name: { title: 'Logs', status: 'Done' } }, { name: null, title: 'Logs', state: 'Done' }],
    ['options beside the rest', { ...issue, options: { status: 'Done' } }, { options: null, state: 'Done' }],
    [
      'credentials',
      { ...issue, api_key: 'k', AccessToken: 't', authorization: 'Bearer t' },
      { api_key: null, AccessToken: null, authorization: null },
    ],
    ["another product's place", { ...issue, workspace_id: 'w', owner: 'a', repo: 'b' }, { workspace_id: null, owner: null, repo: null }],
    ['a flag that is off', { ...issue, dry_run: false, force: 'false' }, { dry_run: null, force: null }],
    ['a word that adds nothing', { ...issue, new_status: 'Done' }, { new_status: null, state: 'Done' }],
  ])('%s are corrected', (_, written, change) => {
    expect(read(written).next).toEqual({ change })
  })

  it('are corrected without a suggestion beside the change', () => {
    expect(read({ input: issue })).toEqual({ next: { change: { input: null, ...issue } }, suggested: [] })
  })

  it.each<[string, unknown]>([
    ['an argument that is given twice', { ...issue, input: { title: 'Other' } }],
    ['an object with a name that is no argument', { input: { ...issue, color: 'red' } }],
    ['a condition', { ...issue, assignee: { neq: 'Ada' } }],
    ['a condition beside a name', { ...issue, assignee: { name: 'Ada', not: true } }],
    ['JSON text of a list', { input: JSON.stringify([issue]) }],
    ['an empty text for what is required', { team: '', title: 'Logs' }],
    ['a value that is none of the parameter', { ...issue, page: 2 }],
    ['a negation before the name', { ...issue, not_status: 'Done' }],
    ['an argument that is given twice in one object', { team: 'ENG', input: { Title: 'Logs', title: 'Other' } }],
    ['a condition of a call that may write', { team: 'ENG', where: { title: 'Logs' } }],
    ['null for what is required', { ...issue, title: null }],
    ['a flag that is on', { ...issue, dry_run: true }],
    ['an owner without a repository', { ...issue, owner: 'Ada' }],
    ['a password', { ...issue, password: 'p' }],
    ['a record of one thing with the name of another', { ...issue, status: { name: 'Done', milestone: 'M1' } }],
    ['a record that has a name and its folder', { ...issue, status: { name: 'Done', path: 'ENG' } }],
    ['a record with an argument of its own thing', { team: 'ENG', milestone: { title: 'Logs' } }],
    ['no object at all', []],
  ])('%s is not', (_, written) => {
    const result = read(written)
    expect(result).not.toHaveProperty('data')
    expect(result.next ?? {}).not.toHaveProperty('change')
  })

  it.each(['not', 'exclude', 'without', 'or', 'any', 'unset', 'unsubscribe', 'dry_run', 'draft', 'previous', 'constructor'])(
    'arguments in %j are not taken out of it',
    (name) => {
      expect(read({ ...issue, [name]: { state: 'Done' } }).next).toBeUndefined()
      expect(read({ [name]: issue }).next ?? {}).not.toHaveProperty('change')
    },
  )

  it('several values for one are suggested, and none is proposed', () => {
    expect(read({ ...issue, priority: ['high', 'low'] })).toEqual({
      next: undefined,
      suggested: [
        ['priority', 'high'],
        ['priority', 'low'],
      ],
    })
  })

  it('the error for what is missing names the tool that lists it, unless the caller meant something', () => {
    expect(read({ title: 'Logs' }).next).toEqual({ tool: 'T.ListTeams' })
    expect(read({ title: 'Logs', priority: 'hihg' })).toEqual({ next: undefined, suggested: [['priority', 'high']] })
    expect(read('Logs').next).toBeUndefined()
    expect(read({ teams: 'ENG', title: 'Logs' }).next).toEqual({ change: { teams: null, team: 'ENG' } })
  })
})

describe('a write', () => {
  const update = z.strictObject({
    issue_id: z.string(),
    title: withVocabulary(z.string(), { names: ['name'] }).optional(),
    state: z.string().optional(),
    due_date: z.iso.date().optional(),
    start_date: z.iso.date().optional(),
    assignee: withVocabulary(z.string(), { names: ['owner'] }).optional(),
    fields: z.array(z.enum(['due_date', 'title'])).optional(),
    fields_to_clear: withVocabulary(z.array(z.enum(['due_date', 'start_date', 'assignee'])), { isClearing: true }).optional(),
  })
  async function call(args: object, effect: 'read' | 'update' = 'update') {
    const run = () => Promise.resolve({})
    const spec = {
      name: 'T',
      title: 'T',
      description: '',
      scopes: [],
      input: update,
      output: z.object({}),
      example: { issue_id: '1' },
      run,
    }
    const error: unknown = await toolkit<undefined, never>()({ ...spec, effect })
      .execute(args, undefined, manualCall())
      .catch((reason: unknown) => reason)
    if (!(error instanceof InvalidInput)) throw new Error('The call was accepted.')
    const { next, suggestions = [] } = error.details
    return { next, suggested: suggestions.map(({ value, parameter }) => [parameter, value]) }
  }

  it.each([{ owner: { name: 'Ada' } }, '{"owner":{"name":"Ada"}}'])('of a read has the condition %j', async (filter) => {
    const change = { filter: null, assignee: 'Ada' }
    expect((await call({ issue_id: 'E-1', filter, thought: 'x' }, 'read')).next).toEqual({ change: { ...change, thought: null } })
    expect((await call({ issue_id: 'E-1', filter: { owner: { name: { neq: 'Ada' } } } }, 'read')).next).toBeUndefined()
  })

  it.each<[object, 'read' | 'update', Record<string, null> | undefined]>([
    [{ mode: 'get', page: '1' }, 'read', { mode: null, page: null }],
    [{ page: 2 }, 'read', undefined],
    [{ token: 'next' }, 'read', undefined],
    [{ token: 't', response_format: 'json', return_fields: ['id'] }, 'update', { token: null, response_format: null, return_fields: null }],
    [{ mode: 'get' }, 'update', undefined],
    [{ response_format: { state: 'x' } }, 'update', undefined],
  ])('with %j (%s) leads to %j', async (more, effect, change) => {
    expect((await call({ issue_id: 'E-1', ...more }, effect)).next).toEqual(change && { change })
  })

  it('goes without an argument that says what is so anyway, and with no other', async () => {
    withVocabulary(update, { idle: { fields_mask: [], archived: [false] } })
    const change = { fieldsMask: null, archived: null }
    expect(await call({ issue_id: 'E-1', fieldsMask: 'id', archived: false })).toEqual({ next: { change }, suggested: [] })
    expect((await call({ issue_id: 'E-1', archived: true })).next).toBeUndefined()
    expect((await call({ issue_id: 'E-1', archived: false, draft: true })).next).toBeUndefined()
  })

  it.each(['where', 'filter', 'filters'])('never takes the condition in %s for new values', async (name) => {
    const args = { issue_id: 'E-1', [name]: { title: 'Old' } }
    expect((await call(args)).next).toBeUndefined()
  })

  it('never drops what a record says besides its id', async () => {
    expect((await call({ issue: { id: 'E-1', title: 'x' }, state: 'Done' })).next).toBeUndefined()
    expect((await call({ issue_id: { id: 'E-1', title: 'x' } })).next).toBeUndefined()
    expect((await call({ issue: { id: 'E-1', title: 'x' }, title: 'y' })).next).toEqual({ change: { issue: null, issue_id: 'E-1' } })
  })

  it('drops what a record says of another person', async () => {
    const ada = { name: 'Ada', title: 'Dr' }
    const jira = { accountId: '7:1', displayName: 'Ada' }
    expect((await call({ issue_id: 'E-1', assignee: jira })).next).toEqual({ change: { assignee: 'Ada' } })
    expect((await call({ issue_id: 'E-1', owner: ada })).next).toEqual({ change: { owner: null, assignee: 'Ada' } })
    expect((await call({ issue_id: 'E-1', assignee: ada })).next).toEqual({ change: { assignee: 'Ada' } })
  })

  it('clears a field by its list alone', async () => {
    const clear = { change: { due_date: null, fields_to_clear: ['due_date'] } }
    for (const due_date of ['none', 'null', 'clear', '-']) expect((await call({ issue_id: 'E-1', due_date })).next).toEqual(clear)
    const given = await call({ issue_id: 'E-1', due_date: 'none', fields_to_clear: ['assignee'] })
    expect(given.next).toEqual({ change: { due_date: null, fields_to_clear: ['assignee', 'due_date'] } })
    const renamed = await call({ issue_id: 'E-1', dueDate: 'none' })
    expect(renamed.next).toEqual({ change: { dueDate: null, fields_to_clear: ['due_date'] } })
    const two = await call({ issue_id: 'E-1', due_date: 'none', start_date: 'none' })
    expect(two.next).toEqual({ change: { due_date: null, start_date: null, fields_to_clear: ['due_date', 'start_date'] } })
  })

  it('never loses a null that may clear a field', async () => {
    const { next, suggested } = await call({ issue_id: 'E-1', name: 'x', due_date: null })
    expect(next).toEqual({ change: { name: null, title: 'x', due_date: null, fields_to_clear: ['due_date'] } })
    expect(suggested).toEqual([
      ['name', 'title'],
      ['fields_to_clear', 'due_date'],
    ])
    const many = await call({ issue_id: 'E-1', name: 'x', due_date: null, start_date: null, assignee: null })
    expect(many.next).toBeUndefined()
    const given = await call({ issue_id: 'E-1', name: 'x', due_date: null, fields_to_clear: ['assignee'] })
    expect(given.next).toEqual({ change: { name: null, title: 'x' } })
    expect((await call({ issue_id: 'E-1', name: 'x', state: null })).next).toEqual({ change: { name: null, title: 'x' } })
    expect((await call({ issue_id: 'E-1', name: 'x', colour: null })).next).toBeUndefined()
    expect(await call({ issue_id: 'E-1', title: 'x', owner: null })).toEqual({
      next: undefined,
      suggested: [
        ['owner', 'assignee'],
        ['fields_to_clear', 'assignee'],
      ],
    })
  })
})

describe('a parameter with a different meaning', () => {
  const shelf = z.strictObject({
    query: withVocabulary(z.string().min(1), { names: ['input'] }),
    to: withVocabulary(z.string().min(1), {
      names: ['at'],
      implies: (written) => (typeof written === 'string' && written.includes(':') ? { to: written.split(':')[0], row: '1' } : undefined),
      ifMissing: ({ from }) => from,
    }),
    from: withVocabulary(z.string(), { names: ['origin'] }).optional(),
    row: z.string().optional(),
    kinds: z.union([z.enum(['spreadsheet', 'drawing']), z.array(z.string().refine((text) => text === 'spreadsheet'))]).optional(),
  })
  const proposed = (written: unknown, schema: z.ZodObject = shelf) => {
    try {
      understandArguments(schema, written, '2026-11-22')
      return undefined
    } catch (error) {
      return error instanceof InvalidInput ? error.details.next : undefined
    }
  }
  const whole = { query: 'x', to: 'A' }

  it('gets no value that would follow for another one', () => {
    const to = withVocabulary(z.string(), { ifMissing: ({ name }) => name && { other: name } })
    const refused = () => {
      try {
        return understandArguments(z.strictObject({ to, name: z.string().optional() }), { name: 'x' }, '2026-11-22')
      } catch (error) {
        return error instanceof InvalidInput ? error.toJSON() : error
      }
    }
    expect(refused()).toEqual({ code: 'invalid_input', message: '"to" is required.', retryable: false })
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown> | undefined]>([
    ['a wrapper with the name of a text parameter', { input: whole }, { input: null, ...whole }],
    ['the same as JSON text', { input: JSON.stringify(whole) }, { input: null, ...whole }],
    ['text that is JSON, but no arguments', { input: '{"y":1}', to: 'A' }, { input: null, query: '{"y":1}' }],
    ['a value under another name that implies more', { query: 'x', at: 'A:1' }, { at: null, to: 'A', row: '1' }],
    ['what is implied against what is written', { query: 'x', at: 'A:1', row: '2' }, undefined],
    ['a missing value that follows', { query: 'x', from: 'A' }, { to: 'A' }],
    ['a missing value that follows from a corrected name', { query: 'x', origin: 'A' }, { origin: null, from: 'A', to: 'A' }],
    ['a missing value beside an unclear argument', { query: 'x', from: 'A', zzz: 1 }, undefined],
    ['a misspelt value in a list whose values only the alternative names', { ...whole, kinds: ['spreadshet'] }, { kinds: ['spreadsheet'] }],
  ])('%s', (_, written, change) => {
    expect(proposed(written)).toEqual(change && { change })
  })

  it('is left to a tool that does without the missing one, with the corrected arguments', () => {
    const lookup = ({ from }: Record<string, unknown>) => (from === undefined ? undefined : { tool: 'T.Other', arguments: { of: from } })
    const move = z.strictObject({ from: withVocabulary(z.string(), { names: ['origin'] }), to: withVocabulary(z.string(), { lookup }) })
    const step = { tool: 'T.Other', arguments: { of: 'A' } }
    expect(proposed({ origin: 'A' }, move)).toEqual(step)
    expect(proposed({ origin: 'A', zzz: 1 }, move)).toBeUndefined()
  })
})
