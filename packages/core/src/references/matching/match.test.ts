import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/failure.ts'
import { ErrorCollector, throwCombined } from '../../errors/error-collector.ts'
import type { Candidate } from './candidates.ts'
import { Ambiguous, Forbidden, InvalidInput, NotFound } from '../../errors/errors.ts'
import { exactMatcher, findMatch } from './match.ts'

const engineering = { id: 't1', name: 'Engineering', key: 'ENG' }
const design = { id: 't2', name: 'Product Design', key: 'DES' }
const sprint = { id: 't3', name: 'Sprint 13', key: 'SPR' }
const teams = [engineering, design, sprint]
const team = { kind: 'team', parameter: 'team', autoAccept: true }
const strict = { ...team, autoAccept: false }

const anna = { id: 'u1', name: 'Anna Berg', email: 'anna@acme.example' }
const otherAnna = { id: 'u2', name: 'Anna Berg', email: 'a.berg@acme.example' }
const hanna = { id: 'u3', name: 'Hanna Bergström', email: 'hanna@acme.example' }
const users = [anna, otherAnna, hanna]
const assignee = { kind: 'user', parameter: 'assignee', autoAccept: true }

describe('precedence', () => {
  // Each candidate matches the same text by a different rank; the last rank comes first.
  const all = [
    { id: 'ignoring case', name: 'NODE@ACME.EXAMPLE' },
    { id: 'name', name: 'node@acme.example' },
    { id: 'slug', name: 'S', slug: 'node@acme.example' },
    { id: 'email', name: 'E', email: 'Node@Acme.example' },
    { id: 'key', name: 'K', key: 'NODE@acme.example' },
    { id: 'node@acme.example', name: 'I' },
  ]

  it.each([
    [6, 'id', 1],
    [5, 'key', 1],
    [4, 'email', 1],
    [3, 'slug', 1],
    [2, 'name', 1],
    [1, 'name_ignoring_case', 0.99],
  ])('with candidates of %i ranks, matches by %s', (count, matchedBy, confidence) => {
    const expected = { candidate: all[count - 1], matchedBy, confidence }
    expect(findMatch('node@acme.example', all.slice(0, count), strict)).toEqual(expected)
    expect(findMatch('node@acme.example', all.slice(0, count).toReversed(), strict)).toEqual(expected)
  })

  it('compares ids and slugs exactly, keys and addresses ignoring case, and trims', () => {
    expect(findMatch('eng', teams, strict)).toMatchObject({ candidate: engineering, matchedBy: 'key' })
    expect(findMatch('ANNA@acme.example', users, assignee)).toMatchObject({ candidate: anna, matchedBy: 'email' })
    expect(findMatch(' t1\n', teams, strict)).toMatchObject({ candidate: engineering, matchedBy: 'id' })
    expect(failure(() => findMatch('T1', teams, strict))).toBeInstanceOf(NotFound)
    const withSlug = { id: 'p1', name: 'Apollo', slug: 'apollo-1' }
    expect(findMatch(' apollo-1 ', [withSlug], strict)).toMatchObject({ candidate: withSlug, matchedBy: 'slug' })
    expect(failure(() => findMatch('Apollo-1', [withSlug], strict))).toBeInstanceOf(NotFound)
  })

  it('treats a decomposed name as the same name', () => {
    expect(findMatch(hanna.name.normalize('NFD'), users, assignee)).toMatchObject({ candidate: hanna, matchedBy: 'name' })
  })
})

describe('several equal matches', () => {
  it('are ambiguous, and all listed with their ids', () => {
    const error = failure(() => findMatch('Anna Berg', users, assignee))
    expect(error).toBeInstanceOf(Ambiguous)
    expect(error.toJSON()).toEqual({
      code: 'ambiguous',
      message:
        '"Anna Berg" (assignee) is the name of more than one user: "Anna Berg" (anna@acme.example), "Anna Berg" (a.berg@acme.example). ' +
        'Give the id of the one that is meant.',
      retryable: false,
      suggestions: [
        { value: 'Anna Berg', id: 'u1', parameter: 'assignee', confidence: 1 },
        { value: 'Anna Berg', id: 'u2', parameter: 'assignee', confidence: 1 },
      ],
    })
  })

  it.each([
    ['key', { key: 'X' }, 'x'],
    ['email address', { email: 'x@acme.example' }, 'X@acme.example'],
    ['slug', { slug: 'x' }, 'x'],
    ['name', { name: 'X' }, 'x'],
  ])('can be of any rank: %s', (label, same, reference) => {
    const tied = [1, 2, 3].map((id) => ({ id: `${id}`, name: `N${id}`, ...same }))
    const error = failure(() => findMatch(reference, tied, team))
    expect(error.message).toContain(`is the ${label} of more than one team`)
    expect(error.details.suggestions?.map(({ id }) => id)).toEqual(['1', '2', '3'])
  })

  it('are listed with what distinguishes them, quoted where it needs that', () => {
    const message = (...tied: Candidate[]) => failure(() => findMatch('x', tied, team)).message
    const slug = 'x'
    expect(message({ id: '1', name: 'A', slug }, { id: '2', name: 'B', slug })).toContain(': "A", "B". Give')
    const named = { name: 'X', key: 'ENG' }
    expect(message({ id: '1', ...named, parent: 'Core' }, { id: '2', ...named, parent: 'Web & Mobile' })).toContain(
      ': "X" (ENG, Core), "X" (ENG, "Web & Mobile"). Give',
    )
  })

  it('lose to a match of a higher rank', () => {
    expect(findMatch('u2', users, assignee).candidate).toBe(otherAnna)
    expect(
      findMatch(
        'Design',
        [
          { id: '1', name: 'design' },
          { id: '2', name: 'Design' },
        ],
        team,
      ).candidate.id,
    ).toBe('2')
  })

  it('do not include copies of the same candidate', () => {
    expect(findMatch('ENG', [engineering, { ...engineering }], team).candidate).toEqual(engineering)
    expect(findMatch('Enginering', [engineering, { ...engineering }], team).candidate).toEqual(engineering)
  })

  it('are limited to five in the message, but not in the suggestions', () => {
    const many = Array.from({ length: 8 }, (_, index) => ({ id: `id${index}`, name: 'Twin' }))
    const error = failure(() => findMatch('Twin', many, team))
    expect(error.message).toContain('"Twin" (id4) and 3 more.')
    expect(error.details.suggestions).toHaveLength(8)
  })
})

describe('a near miss', () => {
  it('is accepted with autoAccept', () => {
    const { candidate, matchedBy, confidence } = findMatch('Enginering', teams, team)
    expect({ candidate, matchedBy }).toEqual({ candidate: engineering, matchedBy: 'fuzzy' })
    expect(confidence).toBeCloseTo(0.945, 3)
  })

  it('is suggested without autoAccept', () => {
    expect(failure(() => findMatch('Enginering', teams, strict)).toJSON()).toEqual({
      code: 'not_found',
      message: 'No team matches "Enginering". Closest: "Engineering".',
      retryable: false,
      suggestions: [{ value: 'Engineering', id: 't1', parameter: 'team', confidence: 0.95 }],
      next: { change: { team: 'Engineering' } },
    })
  })

  it('is suggested without a change when a number differs', () => {
    const { message, details } = failure(() => findMatch('Sprint 12', teams, team))
    expect(message).toBe('No team matches "Sprint 12". Closest: "Sprint 13".')
    expect(details).toEqual({ suggestions: [{ value: 'Sprint 13', id: 't3', parameter: 'team', confidence: 0.8 }] })
  })

  it('of two candidates with the same name suggests both ids and no change', () => {
    const { message, details } = failure(() => findMatch('Ana Berg', users, assignee))
    expect(message).toContain('No user matches "Ana Berg" (assignee). Closest: "Anna Berg"')
    expect(details.next).toBeUndefined()
    expect(details.suggestions?.slice(0, 2).map(({ id }) => id)).toEqual(['u1', 'u2'])
  })

  it('proposes the id when the name would mean another candidate', () => {
    const confusing = [engineering, { id: 't9', name: 'Other', key: 'engineering' }]
    expect(failure(() => findMatch('Enginering', confusing, strict)).details.next).toEqual({ change: { team: 't1' } })
  })

  it('of an email address is suggested, never accepted', () => {
    const { message, details } = failure(() => findMatch('hana@acme.example', users, assignee))
    expect(message).toContain('Closest: "hanna@acme.example"')
    expect(details.suggestions?.[0]).toEqual({ value: 'hanna@acme.example', id: 'u3', parameter: 'assignee', confidence: 0.96 })
  })

  it('has at most five suggestions', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ id: `${index}`, name: `Sprint ${index}` }))
    expect(failure(() => findMatch('Sprint 99', many, team)).details.suggestions).toHaveLength(5)
  })
})

describe('without a close name', () => {
  const all = 'Available: "Engineering", "Product Design", "Sprint 13".'
  it.each([
    ['Zebra', teams, `No team matches "Zebra". ${all}`],
    ['Zebra', [], 'No team matches "Zebra": there is none.'],
    ['', [{ id: '1', name: 'X', key: '' }], 'No team matches "". Available: "X".'],
    [' ', [{ id: '1', name: 'X', key: '' }], 'No team matches " ". Available: "X".'],
    ['say "hi"\n', teams, String.raw`No team matches "say \"hi\"\u{A}". ${all}`],
    ['x'.repeat(500), teams, `No team matches "${'x'.repeat(80)}…". ${all}`],
  ])('%j', (reference, candidates, message) => {
    const error = failure(() => findMatch(reference, candidates, team))
    expect(error.toJSON()).toMatchObject({ code: 'not_found', message, retryable: false })
    expect(error.details.next).toBeUndefined()
    expect(error.details.suggestions?.map(({ id }) => id).toSorted()).toEqual(candidates.map(({ id }) => id))
  })

  it('suggests the nearest of many, and none that says the opposite', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ id: `${index}`, name: `Team ${index}` }))
    expect(failure(() => findMatch('Zebra', many, team)).details.suggestions).toHaveLength(5)
    const states = [
      { id: 's1', name: 'Not Done' },
      { id: 's2', name: 'Review' },
    ]
    expect(failure(() => findMatch('Done', states, team)).details.suggestions?.map(({ id }) => id)).toEqual(['s2'])
    const unlike = [{ id: 's1', name: 'Never shipped to anybody' }, ...states.slice(1)]
    expect(failure(() => findMatch('Done', unlike, team)).details.suggestions?.map(({ id }) => id)).toEqual(['s2'])
  })

  it('names the tool that lists many candidates', () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ id: `${index}`, name: `Sprint ${index}` }))
    const listedBy = { tool: 'Tracker.ListTeams', arguments: { limit: 50 } }
    const { message, details } = failure(() => findMatch('Zebra', many, { ...team, listTool: listedBy }))
    expect(message).toBe('No team matches "Zebra". Tracker.ListTeams lists all of them.')
    expect(details.next).toEqual(listedBy)
    expect(failure(() => findMatch('Zebra', many, team)).message).toBe('No team matches "Zebra".')
    expect(failure(() => findMatch('Zebra', many.slice(1), { ...team, listTool: listedBy })).message).toContain('"Sprint 1", "Sprint 2"')
    expect(failure(() => findMatch('Enginering', teams, { ...strict, listTool: listedBy })).details.next).toEqual({
      change: { team: 'Engineering' },
    })
  })
})

describe('the only candidate with the words of a reference', () => {
  const people = [
    { id: 'p1', name: 'Robin Vance', email: 'robin@acme.example' },
    { id: 'p2', name: 'Ada Okonkwo' },
    { id: 'p3', name: 'Ada Okafor' },
  ]
  const projects = [
    { id: 'a', name: 'Apollo' },
    { id: 'b', name: 'Billing rewrite' },
    { id: 'c', name: 'Sprint 13' },
  ]

  it.each([
    ['Robin', people, 'user', 'Robin Vance'],
    ['Robbin', people, 'user', 'Robin Vance'],
    ['Robyn', people, 'user', 'Robin Vance'],
    ['vance', people, 'user', 'Robin Vance'],
    ['@robin', people, 'user', 'Robin Vance'],
    [' @robin', people, 'user', 'Robin Vance'],
    ['Okafor', people, 'user', 'Ada Okafor'],
    ['Ada', [...people.slice(0, 2), { id: 'p4', name: 'Adapter Team' }], 'user', 'Ada Okonkwo'],
    ['Project Apollo', projects, 'project', 'Apollo'],
    ['the Apollo project', projects, 'project', 'Apollo'],
    ['“Apollo”', projects, 'project', 'Apollo'],
    ['Billing', projects, 'project', 'Billing rewrite'],
    ['Billing rewrites', projects, 'project', 'Billing rewrite'],
  ])('%j is proposed', (reference, candidates, kind, value) => {
    const options = { kind, parameter: 'it', autoAccept: false }
    const exact = (() => {
      try {
        return findMatch(reference, candidates, options).candidate.name
      } catch (error) {
        return error instanceof NotFound ? error.details.next?.change?.['it'] : undefined
      }
    })()
    expect(exact).toBe(value)
  })

  it.each([
    ['Ada', people],
    ['Apollo Web', projects],
    ['Sprint 14', projects],
    ['Sprint', [...projects, { id: 'd', name: 'Sprint 14' }]],
    ['not Apollo', projects],
    ['robin@acme.exampel.org', people],
    ['Sprint', projects],
    [
      'A',
      [
        { id: 'e', name: 'Team A' },
        { id: 'f', name: 'Billing' },
      ],
    ],
    [
      'thing',
      [
        { id: 'e', name: 'Thing Archive' },
        { id: 'f', name: 'Billing' },
      ],
    ],
    [
      'Invoice Collection',
      [
        { id: 'e', name: 'Invoice Collection Flow' },
        { id: 'f', name: 'Invoice Connections' },
      ],
    ],
  ])('%j is not', (reference, candidates) => {
    const { details } = failure(() => findMatch(reference, candidates, { kind: 'thing', parameter: 'it', autoAccept: false }))
    expect(details.next).toBeUndefined()
  })
})

describe('an exact match', () => {
  it.each([
    ['eng', true],
    ['Product design', true],
    [' t3 ', true],
    ['Enginering', false],
    ['', false],
  ])('of %j exists: %s', (reference, isExact) => {
    expect(exactMatcher(teams)(reference)).toBe(isExact)
  })

  it('is also one of the text whose printable form is given', () => {
    const hidden = { id: 't9', name: 'Ops\u202e' }
    expect(exactMatcher([hidden])('Ops\\u{202E}')).toBe(true)
    expect(findMatch('ops\\u{202e}', [hidden], strict).candidate).toBe(hidden)
    expect(exactMatcher([{ id: 't8', name: 'Ops\\u{202E}' }])('Ops\\u{202E}')).toBe(true)
    expect(exactMatcher([hidden])('Ops')).toBe(false)
  })
})

describe('ErrorCollector', () => {
  const missing = () => findMatch('Enginering', teams, strict)
  const absent = () => findMatch('Zebra', teams, { ...strict, parameter: 'other_team' })
  const tied = () => findMatch('Anna Berg', users, assignee)

  it('returns the results of attempts', () => {
    const attempts = new ErrorCollector()
    const found = attempts.collect(() => findMatch('ENG', teams, team))
    attempts.throwIfAny()
    expect(found().candidate).toBe(engineering)
  })

  it('makes all attempts and reports all failures', () => {
    const attempts = new ErrorCollector()
    const first = attempts.collect(missing)
    attempts.collect(() => findMatch('ENG', teams, team))
    attempts.collect(tied)
    const error = failure(() => {
      attempts.throwIfAny()
    })
    expect(error).toBeInstanceOf(InvalidInput)
    expect(error.message).toMatch(/^No team matches "Enginering"\. .* "Anna Berg" \(assignee\) is the name/)
    expect(error.details.suggestions?.map(({ id }) => id)).toEqual(['t1', 'u1', 'u2'])
    expect(error.details.next).toEqual({ change: { team: 'Engineering' } })
    expect(first).toThrow(NotFound)
  })

  it('throws NotFound or Ambiguous when all failures are', () => {
    expect(() => {
      throwCombined([failure(missing), failure(absent)])
    }).toThrow(NotFound)
    expect(() => {
      throwCombined([failure(tied), failure(tied)])
    }).toThrow(Ambiguous)
  })

  it('repeats no message, and proposes no change on which failures disagree', () => {
    const other = new NotFound('No team matches "Desing".', { next: { change: { team: 'Design', state: 'Done' } } })
    const error = failure(() => {
      throwCombined([failure(missing), failure(missing), other])
    })
    expect(error.message).toBe('No team matches "Enginering". Closest: "Engineering". No team matches "Desing".')
    expect(error.details).toEqual({
      suggestions: [{ value: 'Engineering', id: 't1', parameter: 'team', confidence: 0.95 }],
      next: { change: { state: 'Done' } },
    })
  })

  it('proposes the first tool when there is nothing to change, and limits messages and suggestions', () => {
    const many = Array.from({ length: 40 }, (_, index) => new NotFound(`No ${index}.`, { next: { tool: 'T.List' } }))
    const error = failure(() => {
      throwCombined([failure(tied), ...many])
    })
    expect(error.details.next).toEqual({ tool: 'T.List' })
    expect(error.message).toContain('No 10. 29 more problems are not listed.')
  })

  it('throws nothing without a failure, and a single failure unchanged', () => {
    const only = failure(missing)
    expect(() => {
      throwCombined([])
    }).not.toThrow()
    expect(
      failure(() => {
        throwCombined([only])
      }),
    ).toBe(only)
  })

  it('does not collect errors that are not about the arguments', () => {
    const forbidden = new Forbidden('No access to teams.')
    expect(() =>
      new ErrorCollector().collect(() => {
        throw forbidden
      }),
    ).toThrow(forbidden)
    expect(() => {
      throwCombined([failure(missing), forbidden])
    }).toThrow(forbidden)
  })
})
