import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { InvalidInput } from '../errors/errors.ts'
import { parametersOf } from './parameters.ts'
import { understandArguments } from './read-arguments.ts'
import { withVocabulary } from './vocabulary.ts'

const text = z.string().optional()

/** The change proposed for a call, and the parameters suggested for its names. */
function correct(shape: Record<string, z.ZodType>, args: object) {
  try {
    return { read: understandArguments(z.strictObject(shape), args, '2026-11-22').args }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const { next, suggestions = [] } = error.details
    return { change: next?.change, suggested: suggestions.map(({ value }) => value) }
  }
}

describe('another spelling of a name', () => {
  it('is read unless two parameters have it', () => {
    expect(correct({ label_id: text, title: text }, { labelID: 'l1' })).toEqual({ read: { label_id: 'l1' } })
    expect(correct({ label_id: text, labelId: text, title: text }, { 'label-id': 'l1' })).not.toHaveProperty('read')
  })
})

describe('a name with the same content', () => {
  const owner = withVocabulary(z.string(), { names: ['lead', 'due_owner'] }).optional()

  it.each<[string, string, Record<string, z.ZodType>]>([
    ['issue_key', 'issue_id', { issue_id: text, title: withVocabulary(z.string(), { names: ['issue'] }).optional() }],
    ['owner_team_id', 'team_owner', { team_owner: text, color: text }],
    ['the_due_owner', 'assignee', { assignee: owner, due_date: text }],
    ['lead_name', 'assignee', { assignee: owner }],
    ['isue', 'issue_id', { issue_id: text }],
  ])('%s means %s', (name, parameter, shape) => {
    expect(correct(shape, { [name]: 'x' }).change).toEqual({ [name]: null, [parameter]: 'x' })
  })

  it.each<[string, string, string[]]>([
    ['key', 'a name that says nothing by itself', ['name']],
    ['issue', 'a name that two parameters have', ['issue_id', 'issue_key']],
    ['team', 'a part of a name', ['team_lead', 'title']],
    ['team_color', 'a name that shares one of two words', ['team_lead']],
    ['unsubscribed_key', 'the opposite', ['subscribed', 'title']],
    ['subscribed_key', 'the opposite of an opposite', ['unsubscribed', 'title']],
  ])('is not %s: %s', (name, _, parameters) => {
    const shape = Object.fromEntries(parameters.map((parameter) => [parameter, text]))
    expect(correct(shape, { [name]: 'x' })).toMatchObject({ change: undefined })
  })
})

it('a name that is as close to two parameters is not taken for the one that the call needs', () => {
  expect(correct({ issue_id: z.string(), issue_key: text }, { issue: 'x' })).toEqual({
    change: undefined,
    suggested: ['issue_id', 'issue_key'],
  })
})

describe('the parameters that a name may mean', () => {
  it('are suggested, the most likely first', () => {
    const shape = { project_team: text, project_id: text, project_key: text }
    const { change, suggested } = correct(shape, { project: 'x' })
    expect(change).toBeUndefined()
    expect(suggested).toEqual(['project_id', 'project_key', 'project_team'])
  })

  it('come with their likelihood', () => {
    const run = () => understandArguments(z.strictObject({ priority: text }), { priorty: 'x' }, '2026-11-22')
    expect(run).toThrow(
      expect.objectContaining({
        details: {
          suggestions: [{ value: 'priority', parameter: 'priorty', confidence: 0.93 }],
          next: { change: { priorty: null, priority: 'x' } },
          rest: { args: { priority: 'x' }, missing: [] },
        },
      }),
    )
  })

  it('exclude a boolean where the value is a name or an address', () => {
    const shape = { subscribe: z.boolean().optional(), title: text }
    expect(correct(shape, { subscrib: 'Ada' })).toEqual({ change: undefined, suggested: [] })
    expect(correct(shape, { subscrib: 'yes' })).toEqual({ change: { subscrib: null, subscribe: true }, suggested: ['subscribe', 'true'] })
    expect(correct(shape, { subscrib: 7 })).toEqual({ change: undefined, suggested: ['subscribe'] })
    expect(correct(shape, { titel: 'Ada' })).toEqual({ change: { titel: null, title: 'Ada' }, suggested: ['title'] })
    expect(correct({ count: z.int().optional() }, { coun: 'many' })).toEqual({ change: undefined, suggested: ['count'] })
  })

  it('are one where only one of them is needed', () => {
    const folder = (more: string[] = []) => withVocabulary(z.string(), { names: ['folder', ...more] })
    expect(correct({ parent: folder().optional(), title: folder() }, { folder: 'A' }).change).toEqual({ folder: null, title: 'A' })
    expect(correct({ parent: folder().optional(), place: folder().optional() }, { folder: 'A' }).change).toBeUndefined()
    expect(correct({ source: folder(), target: folder() }, { folder: 'A' }).change).toBeUndefined()
  })
})

describe('two names for one parameter', () => {
  const keywords = withVocabulary(z.string(), { names: ['query', 'q'] }).optional()
  const value = withVocabulary(z.string(), { names: { key: { lookup_by: 'key' }, name: { lookup_by: 'name' } } }).optional()

  it('are corrected where both have the same value', () => {
    expect(correct({ keywords }, { query: 'a', q: 'a' }).change).toEqual({ query: null, q: null, keywords: 'a' })
  })

  it('are only suggested where they say different things', () => {
    expect(correct({ keywords }, { query: 'a', q: 'b' })).toEqual({ change: undefined, suggested: ['keywords', 'keywords'] })
    expect(correct({ value, lookup_by: text }, { key: 'ENG', name: 'ENG' }).change).toBeUndefined()
  })
})

describe('what the vocabulary says of a name', () => {
  it('may depend on the name and on the other arguments', () => {
    const parent = withVocabulary(z.string(), {
      names: ['path', 'project'],
      fits: (_, { name, others }) => name === 'path' || 'title' in others,
    }).optional()
    expect(correct({ parent, title: text }, { path: 'A' }).change).toEqual({ path: null, parent: 'A' })
    expect(correct({ parent, title: text }, { project: 'A' }).change).toBeUndefined()
    expect(correct({ parent, title: text }, { project: 'A', title: 'T' }).change).toEqual({ project: null, parent: 'A' })
  })

  it('may differ between tools that share its schema', () => {
    const shared = z.string()
    const tool = (names: string) => withVocabulary(z.strictObject({ shared }), { parameters: { shared: { names } } })
    const [first, second] = [tool('ticket'), tool('card')].map((input) => parametersOf(input)[0]?.vocabulary.names)
    expect([first, second]).toEqual(['ticket', 'card'])
  })

  it('never turns round what stands for nothing', () => {
    const subscribe = withVocabulary(z.boolean(), { opposites: ['unsubscribe'], values: { default: null } }).optional()
    expect(correct({ subscribe }, { unsubscribe: 'on' }).change).toEqual({ unsubscribe: null, subscribe: false })
    expect(correct({ subscribe }, { unsubscribe: 'default' }).change).toBeUndefined()
  })
})
