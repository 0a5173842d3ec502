import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/failure.ts'
import { ErrorCollector, throwCombined } from '../../errors/error-collector.ts'
import { createChoice, type Candidate } from './candidates.ts'
import { Ambiguous, InvalidInput, NotFound } from '../../errors/errors.ts'
import { findMatch, findMatches } from './match.ts'

const users = [
  { id: 'u1', name: 'Anna Berg', email: 'anna@acme.example' },
  { id: 'u2', name: 'Anna Berg', email: 'a.berg@acme.example' },
  { id: 'u3', name: 'Hanna Bergström', email: 'hanna@acme.example' },
]
const assignee = { kind: 'user', parameter: 'assignee', autoAccept: true }

describe('the choice between equal matches', () => {
  const choices = (run: () => unknown) => failure(run).details.choices
  it('contains the reference and every candidate', () => {
    expect(choices(() => findMatch('anna berg', users, assignee))).toEqual([
      {
        parameter: 'assignee',
        reference: 'anna berg',
        kind: 'user',
        options: [
          { id: 'u1', label: 'Anna Berg (anna@acme.example)' },
          { id: 'u2', label: 'Anna Berg (a.berg@acme.example)' },
        ],
      },
    ])
  })

  it.each<[string, Candidate[], string[]]>([
    [
      'by their names',
      [
        { id: '1', name: 'A' },
        { id: '2', name: 'B' },
      ],
      ['A', 'B'],
    ],
    [
      'by their keys',
      [
        { id: '1', name: 'A', key: 'X' },
        { id: '2', name: 'A', key: 'Y' },
      ],
      ['A (X)', 'A (Y)'],
    ],
    [
      'by what they belong to',
      [
        { id: '1', name: 'A', parent: 'Core' },
        { id: '2', name: 'A' },
      ],
      ['A (Core)', 'A'],
    ],
    [
      'by short ids',
      [
        { id: '1', name: 'A' },
        { id: '2', name: 'A' },
      ],
      ['A (1)', 'A (2)'],
    ],
    [
      'by the ends of ids',
      [
        { id: 'abcdefg1', name: 'A' },
        { id: 'abcdefg2', name: 'A' },
      ],
      ['A (…cdefg1)', 'A (…cdefg2)'],
    ],
    [
      'by ids that end alike',
      [
        { id: '1-abcdef', name: 'A' },
        { id: '2-abcdef', name: 'A' },
      ],
      ['A (1-abcdef)', 'A (2-abcdef)'],
    ],
    [
      'by ids where nothing else does',
      [
        { id: '1', name: 'A', parent: 'Core' },
        { id: '2', name: 'A', parent: 'Core' },
        { id: '3', name: 'A', parent: 'Edge' },
      ],
      ['A (Core, 1)', 'A (Core, 2)', 'A (Edge)'],
    ],
  ])('distinguishes them %s', (_, candidates, expected) => {
    const { options } = createChoice(candidates, { parameter: 'team', reference: 'x', kind: 'team' })
    expect(options.map(({ label }) => label)).toEqual(expected)
    expect(options.map(({ id }) => id)).toEqual(candidates.map(({ id }) => id))
  })

  it('is included once for each failure of a list and of several attempts', async () => {
    const errors = new ErrorCollector()
    const list = findMatches(['Anna Berg', 'Anna Berg', 'Hanna Bergström'], users, { ...assignee, parameter: 'members' })
    const listed = await errors.collectAsync(list)
    const both = choices(() => {
      throwCombined([failure(listed), failure(() => findMatch('Anna Berg', users, assignee)), failure(listed)])
    })
    expect(both?.map(({ parameter, reference }) => [parameter, reference])).toEqual([
      ['members', 'Anna Berg'],
      ['assignee', 'Anna Berg'],
    ])
  })

  it('is absent when answering would not fix everything', () => {
    const tied = failure(() => findMatch('Anna Berg', users, assignee))
    for (const other of [new NotFound('There is none.'), new InvalidInput('No.'), new Ambiguous('Without a choice.')]) {
      expect(
        failure(() => {
          throwCombined([tied, other])
        }).details,
      ).not.toHaveProperty('choices')
    }
  })
})
