import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { manualCall, ManualClock, manualScope } from '../../test/manual-clock.ts'
import { Ambiguous, NotFound, ToolError } from '../errors/errors.ts'
import { toolkit } from '../tool/tool.ts'
import { understandArguments } from './read-arguments.ts'
import { withVocabulary } from './vocabulary.ts'

const input = z.strictObject({
  issue_id: z.string().optional(),
  team: z.string().optional(),
  priority: withVocabulary(z.enum(['no_priority', 'urgent', 'high', 'medium', 'low']), {
    values: { 1: 'urgent', P1: 'urgent', normal: 'medium', none: 'no_priority', any: null },
  }).optional(),
  relation: z.enum(['blocks', 'blockedBy', 'duplicate', 'related']).optional(),
  keywords: withVocabulary(z.string(), { names: ['query', 'q'] }).optional(),
  assigned_user: withVocabulary(z.string(), { words: { key: ['assignee', 'owner', 'user'], more: ['name', 'id', 'new'] } }).optional(),
  value: withVocabulary(z.string(), { names: { key: { lookup_by: 'key' }, name: { lookup_by: 'name' } } }).optional(),
  lookup_by: z.enum(['id', 'key', 'name']).optional(),
  subscribe: withVocabulary(z.boolean(), { opposites: ['unsubscribe', 'mute'] }).optional(),
  limit: z.int().min(1).max(50).optional(),
  due_date: z.iso.date().optional(),
  created_after: z.iso.date().optional(),
  labels_to_add: z.array(z.string()).optional(),
  labels_to_remove: z.array(z.string()).optional(),
  label: z.string().optional(),
  types: z.array(z.enum(['pdf', 'document'])).optional(),
  order_by: z.union([z.enum(['name', 'name desc']), z.array(z.enum(['name', 'name desc']))]).optional(),
  note: withVocabulary(z.string().max(3), {
    read: (written) => (written === 'long' ? { possible: ['lon', 'lng'] } : undefined),
  }).optional(),
})

const clock = new ManualClock({ start: Date.UTC(2026, 10, 22, 23, 30) })

/** The arguments and notices that the tool received, or the call's error. */
async function call(args: unknown, fail?: (args: z.output<typeof input>) => Error) {
  const received: unknown[] = []
  const tool = toolkit<undefined, never>()({
    name: 'T',
    title: 'T',
    description: '',
    effect: 'read',
    scopes: [],
    input,
    output: z.object({}),
    example: {},
    run: (parsed) => {
      received.push(parsed)
      return fail ? Promise.reject(fail(parsed)) : Promise.resolve({})
    },
  })
  try {
    const { notices } = await tool.execute(args, undefined, manualCall({ scope: manualScope({ clock }) }))
    return { read: received[0], notices }
  } catch (error) {
    if (error instanceof ToolError) return { error: error.toJSON(), choices: error.details.choices }
    throw error
  }
}

describe('what loses nothing is read at once, with a notice where the text is another', () => {
  it.each<[object, object, string | undefined]>([
    [{ issueId: 'E-1' }, { issue_id: 'E-1' }, 'Read the argument "issueId" as issue_id.'],
    [{ 'Issue-ID': 'E-1' }, { issue_id: 'E-1' }, 'Read the argument "Issue-ID" as issue_id.'],
    [{ ' issue id ': 'E-1' }, { issue_id: 'E-1' }, 'Read the argument " issue id " as issue_id.'],
    [{ priority: 'HIGH' }, { priority: 'high' }, 'Read priority "HIGH" as "high".'],
    [{ priority: 'No Priority' }, { priority: 'no_priority' }, 'Read priority "No Priority" as "no_priority".'],
    [{ priority: ' “no‑priority” ' }, { priority: 'no_priority' }, 'Read priority " “no‑priority” " as "no_priority".'],
    [{ relation: 'blocked_by' }, { relation: 'blockedBy' }, 'Read relation "blocked_by" as "blockedBy".'],
    [{ limit: '5' }, { limit: 5 }, undefined],
    [{ limit: ['5'] }, { limit: 5 }, undefined],
    [{ subscribe: 'True' }, { subscribe: true }, 'Read subscribe "True" as true.'],
    [{ subscribe: 'false' }, { subscribe: false }, undefined],
    [{ team: ['ENG'] }, { team: 'ENG' }, undefined],
    [{ keywords: 2027 }, { keywords: '2027' }, undefined],
    [{ labels_to_add: 'Bug' }, { labels_to_add: ['Bug'] }, undefined],
    [{ labels_to_add: '["Bug","UX"]' }, { labels_to_add: ['Bug', 'UX'] }, 'Read labels_to_add "[\\"Bug\\",\\"UX\\"]" as ["Bug","UX"].'],
    [{ types: 'PDF, document' }, { types: ['pdf', 'document'] }, 'Read types "PDF, document" as ["pdf","document"].'],
    [{ types: ['PDF'] }, { types: ['pdf'] }, 'Read types ["PDF"] as ["pdf"].'],
    [{ order_by: 'Name_desc' }, { order_by: 'name desc' }, 'Read order_by "Name_desc" as "name desc".'],
    [{ order_by: ['NAME'] }, { order_by: ['name'] }, 'Read order_by ["NAME"] as ["name"].'],
    [{ due_date: ' 2027-12-01 ' }, { due_date: '2027-12-01' }, 'Read due_date " 2027-12-01 " as "2027-12-01".'],
    [{ due_date: '“2027‑12‑01”' }, { due_date: '2027-12-01' }, 'Read due_date "“2027‑12‑01”" as "2027-12-01".'],
  ])('%j', async (args, read, notice) => {
    expect(await call(args)).toEqual({ read, notices: notice === undefined ? undefined : [notice] })
  })

  it('but never replaces what is also written as it should be', async () => {
    const { error } = await call({ team: 'ENG', Team: 'OPS' })
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error).not.toHaveProperty('next')
  })

  it('but never decides between two names for one parameter', async () => {
    const { error } = await call({ issueId: 'E-1', 'issue-id': 'E-2' })
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error).not.toHaveProperty('next')
  })

  it('and everything of one call together', async () => {
    expect(await call({ Priority: 'Urgent', Limit: '5' })).toEqual({
      read: { priority: 'urgent', limit: 5 },
      notices: ['Read the argument "Priority" as priority.', 'Read the argument "Limit" as limit.', 'Read priority "Urgent" as "urgent".'],
    })
  })

  it('and ten notices say it at most', () => {
    const names = Array.from({ length: 12 }, (_, index) => `option_${'abcdefghijkl'.charAt(index)}`)
    const written = Object.fromEntries(names.map((name) => [name.toUpperCase(), 'x']))
    const shape = Object.fromEntries(names.map((name) => [name, z.string()]))
    const { data, notices } = understandArguments(z.strictObject(shape), written, '2026-11-22')
    expect(Object.keys(data)).toEqual(names)
    expect(notices).toEqual(names.slice(0, 10).map((name) => `Read the argument "${name.toUpperCase()}" as ${name}.`))
  })

  it('and a long value is cut in its notice', () => {
    expect(understandArguments(input, { types: `pdf${', PDF'.repeat(100)}` }, '2026-11-22').notices).toEqual([
      `Read types "pdf${', PDF'.repeat(11)},… as [${'"pdf",'.repeat(9)}"pdf"….`,
    ])
  })
})

describe('a plausible meaning is proposed as a change', () => {
  it.each<[object, object]>([
    [{ query: 'x' }, { query: null, keywords: 'x' }],
    [{ Q: 'x' }, { Q: null, keywords: 'x' }],
    [{ key: 'ENG' }, { key: null, value: 'ENG', lookup_by: 'key' }],
    [
      { key: 'ENG', lookup_by: 'key' },
      { key: null, value: 'ENG' },
    ],
    [{ unsubscribe: true }, { unsubscribe: null, subscribe: false }],
    [{ unsubscribe: 'false' }, { unsubscribe: null, subscribe: true }],
    [{ priority: 1 }, { priority: 'urgent' }],
    [{ priority: 'p1' }, { priority: 'urgent' }],
    [{ Priority: 'p1' }, { Priority: null, priority: 'urgent' }],
    [{ priority: 'normal' }, { priority: 'medium' }],
    [{ priority: 'any' }, { priority: null }],
    [{ priorty: 'p1' }, { priorty: null, priority: 'urgent' }],
    [{ issue: 'E-1' }, { issue: null, issue_id: 'E-1' }],
    [{ subscribe: 'yes' }, { subscribe: true }],
    [{ subscribe: 0 }, { subscribe: false }],
    [{ limit: 500 }, { limit: 50 }],
    [{ limit: 0 }, { limit: null }],
    [{ limit: '-1' }, { limit: null }],
    [{ limit: '500' }, { limit: 50 }],
    [{ due_date: '2027/12/01' }, { due_date: '2027-12-01' }],
    [{ due_date: 'tomorrow' }, { due_date: '2026-11-23' }],
    [{ due_date: 'in 2 weeks' }, { due_date: '2026-12-06' }],
    [{ created_after: '30 days ago' }, { created_after: '2026-10-23' }],
    [{ labels_to_add: 'Bug, Security' }, { labels_to_add: ['Bug', 'Security'] }],
    [{ relation: 'relates' }, { relation: 'related' }],
    [{ types: ['pdfs'] }, { types: ['pdf'] }],
  ])('%j', async (args, change) => {
    expect((await call(args)).error?.next).toEqual({ change })
  })
})

describe('a call in wrappers', () => {
  it.each([
    ['three', { input: { params: { data: { team: 'ENG' } } } }, { change: { input: null, team: 'ENG' } }],
    ['three as text', { input: '{"params":{"data":{"team":"ENG"}}}' }, { change: { input: null, team: 'ENG' } }],
    ['four', { input: { params: { data: { payload: { team: 'ENG' } } } } }, undefined],
    ['one that is too long', { input: JSON.stringify({ team: 'ENG'.repeat(70_000) }) }, undefined],
  ])('is taken out of %s, or not', async (_, args, next) => {
    expect((await call(args)).error?.next).toEqual(next)
  })
})

describe('nothing is proposed', () => {
  it.each<[string, object]>([
    ['across a negation', { exclude_label: 'Bug' }],
    ['across a negation in a value', { priority: 'not urgent' }],
    ['across a sign of negation', { priority: '!urgent' }],
    ...['< high', '>= high', '≥high', 'low+', '＞high', '*low'].map((priority): [string, object] => [
      `for the condition ${priority}`,
      { priority },
    ]),
    ['across a direction', { updated_after: '2027-01-01' }],
    ['across a direction in a value', { relation: 'unblocks' }],
    ['for another degree', { priority: 'highest' }],
    ['where two names are meant as one', { query: 'a', q: 'b' }],
    ['where two parameters are meant by one name', { labels: ['Bug', 'UX'] }],
    ['where a second argument is unknown', { query: 'a', xyzzy: 1 }],
    ['where the value does not fit', { query: { a: 1 } }],
    ['for a number below its bound', { limit: -2 }],
    ['for a flag that is not a boolean', { unsubscribe: 'Ada' }],
    ['for an ambiguous date', { due_date: '03/04/2027' }],
    ['for what the vocabulary leaves open', { note: 'long' }],
    ['instead of what the caller wrote', { key: 'ENG', lookup_by: 'name' }],
  ])('%s', async (_, args) => {
    const { error } = await call(args)
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error).not.toHaveProperty('next')
  })
})

describe('suggestions', () => {
  it.each<[object, string, string[]]>([
    [{ query: 'a', q: 'b' }, 'query', ['keywords']],
    [{ due_date: '03/04/2027' }, 'due_date', ['2027-04-03', '2027-03-04']],
    [{ note: 'long' }, 'note', ['lon', 'lng']],
    [{ labels: ['Bug'] }, 'labels', ['label', 'labels_to_add']],
    [{ limit: 500 }, 'limit', ['50']],
  ])('of %j name the argument %s that they are for', async (args, parameter, values) => {
    const { error } = await call(args)
    const ofOthers = Object.keys(args).filter((name) => name !== parameter)
    const suggestions = error?.suggestions?.filter((each) => !ofOthers.includes(each.parameter ?? ''))
    expect(suggestions?.map((each) => [each.parameter, each.value])).toEqual(values.map((value) => [parameter, value]))
  })

  it('are less likely where a value may mean several things', async () => {
    const likely = [{ value: 'high', parameter: 'priority', confidence: 0.9 }]
    expect((await call({ priority: 'hihg' })).error?.suggestions).toEqual(likely)
    expect((await call({ priority: 'high-ish' })).error?.suggestions).toEqual([{ ...likely[0], confidence: 0.6 }])
  })

  it('are none where a value means that nothing is set', async () => {
    expect((await call({ priority: 'any' })).error).not.toHaveProperty('suggestions')
  })
})

describe('words that names consist of', () => {
  it.each(['owner', 'ownerName', 'new_owner_id', 'user-name', 'owners', 'assignee_user'])('%s is one', async (name) => {
    expect((await call({ [name]: 'Ada' })).error?.next).toEqual({ change: { [name]: null, assigned_user: 'Ada' } })
  })

  it.each(['name', 'new_id', 'previous_owner', 'not_owner', 'unowner', 'owner_team', 'without_owner'])('%s is none', async (name) => {
    expect(Object.keys((await call({ [name]: 'Ada' })).error?.next?.change ?? {})).not.toContain('assigned_user')
  })

  it('mean a parameter that the call needs before one that it does not', () => {
    const of = z.strictObject({
      title: withVocabulary(z.string(), { names: ['folder'] }),
      parent: withVocabulary(z.string(), { names: ['folder', 'path'] }).optional(),
    })
    const read = (args: object) => {
      try {
        return understandArguments(of, args, '2026-11-22').args
      } catch (error) {
        return error instanceof ToolError ? error.details.next?.change : error
      }
    }
    expect(read({ folder: 'A' })).toEqual({ folder: null, title: 'A' })
    expect(read({ folder: 'A', title: 'B' })).toEqual({ folder: null, parent: 'A' })
    expect(read({ folder: 'A', path: 'B' })).toEqual({ folder: null, title: 'A', path: null, parent: 'B' })
    expect(read({ path: 'B' })).toBeUndefined()
  })
})

describe('an error of the tool itself', () => {
  it('drops the name that was written where it changes the parameter', async () => {
    const fail = () => new NotFound('No team.', { next: { change: { team: 'Engineering' } } })
    expect((await call({ Team: 'Enginering' }, fail)).error?.next).toEqual({ change: { Team: null, team: 'Engineering' } })
    expect((await call({ team: 'Enginering', Limit: 5 }, fail)).error?.next).toEqual({ change: { team: 'Engineering' } })
  })

  it('lets a person choose for the name that was written', async () => {
    const fail = () => new Ambiguous('Two.', { choices: [{ parameter: 'team', reference: 'A', kind: 'team', options: [] }] })
    expect((await call({ Team: 'A' }, fail)).choices).toMatchObject([{ parameter: 'Team' }])
  })
})

describe('words on why a call is made', () => {
  const tool = (effect: 'read' | 'create', args: object) => {
    try {
      return understandArguments(input, args, '2026-11-22', { effect }).args
    } catch (error) {
      return error instanceof ToolError ? error.details.next : error
    }
  }

  it('are left out by the change, a reason only of a read', () => {
    expect(tool('read', { team: 'ENG', reason: 'The user asked.' })).toEqual({ change: { reason: null } })
    expect(tool('create', { team: 'ENG', thought: 'I need it.' })).toEqual({ change: { thought: null } })
    expect(tool('create', { team: 'ENG', reason: 'The user asked.' })).toBeUndefined()
  })
})
