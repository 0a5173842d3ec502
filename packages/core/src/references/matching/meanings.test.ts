import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/failure.ts'
import { Ambiguous, NotFound, type ToolError } from '../../errors/errors.ts'
import { findMatch, findMatches } from './match.ts'

async function asyncFailure(run: Promise<unknown>): Promise<ToolError> {
  const outcome = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  return failure(() => {
    throw outcome
  })
}

describe('a name within a group', () => {
  const options = { kind: 'label', parameter: 'label', autoAccept: false }
  const bug = { id: 'l1', name: 'Type/Bug', shortName: 'Bug' }
  const plain = { id: 'l2', name: 'Security' }
  const colon = { id: 'l3', name: 'type: security' }
  const labels = [bug, plain, colon]

  it.each(['bug', ' Type/Bug ', 'type: bug', 'Type → Bug', 'TYPE : BUG'])('is matched by %j', (reference) => {
    expect(findMatch(reference, labels, options).candidate).toBe(bug)
  })

  it('matches as a full name before it matches within a group', () => {
    const within = { id: 'l4', name: 'type/security', shortName: 'security' }
    expect(findMatch('type: security', [...labels, within], options).candidate).toBe(colon)
    expect(findMatch('type/security', [...labels, within], options).candidate).toBe(within)
    expect(failure(() => findMatch('SECURITY', [...labels, within], options)).message).toContain('"type/security"')
  })

  it('is matched by either name exactly before case is ignored', () => {
    const inLowerCase = { id: 'l5', name: 'type/bug', shortName: 'bug' }
    for (const reference of ['Type/Bug', 'Bug'])
      expect(findMatch(reference, [inLowerCase, bug], options)).toMatchObject({ candidate: bug, matchedBy: 'name' })
  })

  it('is not matched without the separator, or where a slash separates no group', () => {
    expect(failure(() => findMatch('TypeBug', labels, options))).toBeInstanceOf(NotFound)
    expect(failure(() => findMatch('CI: CD', [{ id: 'l6', name: 'CI/CD' }], options))).toBeInstanceOf(NotFound)
  })

  it.each(['Type: Bgu', 'Type/Bugg', 'Buug'])('is proposed in full for %j', (reference) => {
    const { suggestions, next } = failure(() => findMatch(reference, labels, options)).details
    expect(suggestions?.[0]).toMatchObject({ value: 'Type/Bug', id: 'l1' })
    if (reference !== 'Buug') expect(next).toEqual({ change: { label: 'Type/Bug' } })
  })
})

it('a name within a group is compared as it is, and suggested once', () => {
  const label = { id: 'l1', name: 'QA/Regression', shortName: 'Regression' }
  const options = { kind: 'label', parameter: 'label', autoAccept: false }
  expect(failure(() => findMatch('Regresion', [label, { id: 'l2', name: 'Docs' }], options)).details).toEqual({
    suggestions: [{ value: 'QA/Regression', id: 'l1', parameter: 'label', confidence: 0.94 }],
    next: { change: { label: 'QA/Regression' } },
  })
})

describe('a match', () => {
  const todo = { id: 's1', name: 'Todo', type: 'unstarted' }
  const states = [todo, { id: 's2', name: 'Doing', type: 'started' }, { id: 's3', name: 'Review', type: 'started' }]
  const state = { kind: 'workflow state', parameter: 'state', autoAccept: false }

  it.each(['almost done', 'nearly done', 'half done', 'partly done'])('is suggested, but not proposed, for %j', (reference) => {
    const done = [...states, { id: 's5', name: 'Done', type: 'completed' }]
    const { suggestions, next } = failure(() => findMatch(reference, done, state)).details
    expect(suggestions?.[0]).toMatchObject({ value: 'Done' })
    expect(next).toBeUndefined()
    const named = { id: 's6', name: 'Almost Done', type: 'started' }
    expect(findMatch('almost done', [...done, named], state).candidate).toBe(named)
  })

  it('is found by its type when that is unique, unless a name matches', () => {
    expect(findMatch('UNSTARTED', states, state)).toMatchObject({ candidate: todo, matchedBy: 'type' })
    expect(failure(() => findMatch('started', states, state)).message).toContain('is the type of more than one workflow state')
    const named = { id: 's4', name: 'Started', type: 'completed' }
    expect(findMatch('started', [...states, named], state).candidate).toBe(named)
  })

  it('is a preferred candidate, whatever rank others have', () => {
    const own = { id: 'l1', name: 'qa/regression', shortName: 'regression' }
    const other = { id: 'l2', name: 'Regression' }
    const preferred = ({ id }: { id: string }) => id === 'l1'
    expect(findMatch('Regression', [own, other], { ...state, isPreferred: preferred }).candidate).toBe(own)
    expect(findMatch('l2', [own, other], { ...state, isPreferred: preferred }).candidate).toBe(other)
  })

  it('is never an ineligible candidate, which is explained beside close names', () => {
    const explain = ({ name }: { name: string }) => ({ message: `${name} is gone.`, next: { tool: 'T.List' } })
    const ineligible = { candidates: [{ id: 'x', name: 'Doin' }], explain }
    const { message, details } = failure(() => findMatch('doin', states, { ...state, autoAccept: true, ineligible }))
    expect(message).toContain('Doin is gone. Closest: "Doing".')
    expect(details.next).toEqual({ tool: 'T.List' })
    expect(findMatch('doing', states, { ...state, ineligible: { ...ineligible, candidates: states } }).candidate.id).toBe('s2')
    expect(failure(() => findMatch('started', states, { ...state, ineligible: { ...ineligible, candidates: states } }))).toBeInstanceOf(
      Ambiguous,
    )
    expect(failure(() => findMatch('zzz', states, { ...state, ineligible })).message).toContain('No workflow state matches "zzz" (state)')
  })

  it('by the id of an ineligible candidate is proposed if it has the same name', () => {
    const explain = (_: object, namesake?: { name: string }) => ({ message: `Elsewhere. Here: ${namesake?.name}.` })
    const ineligible = { candidates: [{ id: 'x', name: 'doing' }], explain }
    const { message, details } = failure(() => findMatch('x', states, { ...state, ineligible }))
    expect(message).toContain('Elsewhere. Here: Doing.')
    expect(details.next).toEqual({ change: { state: 'Doing' } })
  })

  it('is asked for with the exact text of the caller', async () => {
    const labels = [
      { id: 'l1', name: 'qa/regression', shortName: 'regression' },
      { id: 'l2', name: 'Regression' },
    ]
    const options = { kind: 'label', parameter: 'labels', autoAccept: false }
    const alone = failure(() => findMatch(' REGRESSION ', labels, options))
    for (const error of [alone, await asyncFailure(findMatches([' REGRESSION '], labels, options))]) {
      expect(error.details.choices).toMatchObject([
        { reference: ' REGRESSION ', options: [{ label: 'qa/regression' }, { label: 'Regression' }] },
      ])
    }
    expect(findMatch('REGRESSION', labels, { ...options, allowTies: true }).candidate.id).toBe('l1')
  })

  it('is distinguished by its parent', () => {
    const twins = [
      { id: 'a-1', name: 'Twin', parent: 'DES' },
      { id: 'a-2', name: 'Twin', parent: 'ENG' },
      { id: 'a-3', name: 'twin', parent: 'ENG' },
    ]
    expect(failure(() => findMatch('TWIN', twins, state)).message).toContain('"Twin" (DES), "Twin" (ENG), "twin" (ENG)')
  })

  it('is found by its UUID in capitals, and by no other UUID', () => {
    const one = { id: '0b5f5a8c-0000-4000-8000-00000000abcd', name: 'One' }
    expect(findMatch(one.id.toUpperCase(), [one], state).candidate).toBe(one)
    expect(failure(() => findMatch(one.id.replace('abcd', 'abce'), [one], state))).toBeInstanceOf(NotFound)
  })
})

describe('a list', () => {
  const labels = [
    { id: 'l1', name: 'Improvement' },
    { id: 'l2', name: 'Regression' },
  ]
  const options = { kind: 'label', parameter: 'labels', autoAccept: false }

  it('is resolved in order', async () => {
    const matches = await findMatches(['regression', 'l1', 'l1'], labels, options)
    expect(matches.map(({ candidate: match }) => match.id)).toEqual(['l2', 'l1', 'l1'])
    expect(await findMatches([], labels, options)).toEqual([])
  })

  it('is compared with each candidate once, however many references it has', async () => {
    let reads = 0
    const counted = labels.map(({ id, name }) => ({
      id,
      get name() {
        reads += 1
        return name
      },
    }))
    await findMatches(['regression'], counted, options)
    const readsOfOne = reads
    await findMatches(
      Array.from({ length: 50 }, () => 'regression'),
      counted,
      options,
    )
    expect(reads).toBe(2 * readsOfOne)
  })

  it('is proposed as a whole', async () => {
    const error = await asyncFailure(findMatches(['Improvment', 'l2', 'Regresion', 'Zebra'], labels, options))
    expect(error.toJSON()).toMatchObject({
      code: 'not_found',
      message:
        'No label matches "Improvment" (labels). Closest: "Improvement". No label matches "Regresion" (labels). Closest: "Regression". ' +
        'No label matches "Zebra" (labels). Available: "Improvement", "Regression".',
      suggestions: [{ id: 'l1' }, { id: 'l2' }],
      next: { change: { labels: ['Improvement', 'l2', 'Regression', 'Zebra'] } },
    })
  })

  it('is not proposed when there is no fix', async () => {
    expect((await asyncFailure(findMatches(['Zebra'], labels, options))).details.next).toBeUndefined()
  })

  it('comes with the tool that lists all where nothing is close', async () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ id: `${index}`, name: `Sprint ${index}` }))
    const error = await asyncFailure(findMatches(['Zebra', 'Giraffe'], many, { ...options, listTool: { tool: 'T.ListLabels' } }))
    expect(error.details.next).toEqual({ tool: 'T.ListLabels' })
  })

  it('passes other errors on', async () => {
    const broken = {
      id: '1',
      get name(): string {
        throw new TypeError('broken')
      },
    }
    await expect(findMatches(['a'], [broken], options)).rejects.toThrow(TypeError)
  })
})
