import type { Choice } from '@mcp-toolkits/core/errors'
import { describe, expect, it } from 'vitest'
import { readSelections, toFields, canApply, toForm, applySelections } from './form.ts'

const option = (id: string) => ({ id, label: `The ${id}` })
const choice = (change: Partial<Choice> = {}): Choice => ({
  parameter: 'team',
  reference: 'Core',
  kind: 'team',
  options: [option('one'), option('two')],
  ...change,
})

describe('a choice', () => {
  it.for<[string, Partial<Choice>, Record<string, unknown>, boolean]>([
    ['of a text', {}, { team: 'Core' }, true],
    ['of a text written otherwise', {}, { team: ' core ' }, true],
    ['of an element', {}, { team: ['Edge', 'Core'] }, true],
    ['of an element that is not there', {}, { team: ['Edge', 'core'] }, false],
    ['of an argument that was left out', {}, { title: 'Core' }, false],
    ['of an argument that is no text', {}, { team: { name: 'Core' } }, false],
    ['between nothing', { options: [] }, { team: 'Core' }, false],
  ])('%s can be put into the arguments: %#', ([, change, args, expected]) => {
    expect(canApply([choice(change)], args)).toBe(expected)
    expect(canApply([choice(change), choice({ parameter: 'other' })], { ...args, other: 'x' })).toBe(expected)
  })

  it('replaces the ambiguous reference, and nothing else changes', () => {
    const args = { team: 'Core', labels: ['Core', 'Bug', 'Core', 1], title: 'Core' }
    const chosen = [
      { parameter: 'team', given: 'Core', id: 't2' },
      { parameter: 'labels', given: 'Core', id: 'l1' },
    ]
    expect(applySelections(args, chosen)).toEqual({ team: 't2', labels: ['l1', 'Bug', 'l1', 1], title: 'Core' })
    expect(args.labels[0]).toBe('Core')
  })
})

describe('a form', () => {
  const many = choice({ options: Array.from({ length: 37 }, (_, index) => option(`${index}`)) })

  it('offers twenty at most, and says how many there are', () => {
    const { requestedSchema } = toForm('Create an issue', [many])
    const field = requestedSchema.properties['team']
    expect(field).toMatchObject({ description: 'The call gives it as team. These are the first 20 of 37.' })
    expect(field && 'oneOf' in field && field.oneOf.length).toBe(20)
    const [only] = toFields([many])
    expect(only?.ids).toHaveLength(20)
    expect(readSelections({ team: '19' }, toFields([many]))).toEqual([{ parameter: 'team', given: 'Core', id: '19' }])
    expect(readSelections({ team: '20' }, toFields([many]))).toBeUndefined()
  })

  it('names each problem once, in one line, and truncates a long one', () => {
    const twice = [choice(), choice({ parameter: 'other' }), choice({ kind: 'label', reference: `a\n${'k'.repeat(500)}` })]
    expect(toForm('Create an issue', twice).message).toBe(
      `"Create an issue" was called, and "Core" matches more than one team, "a ${'k'.repeat(78)}…" matches more than one label. ` +
        'Choose what is meant. If you decline, nothing is done.',
    )
  })

  it('has a field for each choice, whatever the parameters are called', () => {
    const all = [choice({ parameter: 'team' }), choice({ parameter: 'team', reference: 'Edge' }), choice({ parameter: 'team_1' })]
    const { properties, required } = toForm('T', all).requestedSchema
    expect(required).toEqual(['team_1', 'team_2', 'team_1_3'])
    expect(Object.keys(properties)).toEqual(required)
    expect(toFields(all).map(({ name }) => name)).toEqual(required)
  })
})

describe('an answer', () => {
  const fields = toFields([choice(), choice({ parameter: 'other' })])

  it('counts when every field holds an offered id', () => {
    expect(readSelections({ team_1: 'one', other_2: 'two', more: 'x' }, fields)).toEqual([
      { parameter: 'team', given: 'Core', id: 'one' },
      { parameter: 'other', given: 'Core', id: 'two' },
    ])
  })

  it.each([undefined, null, 'one', [], {}, { team_1: 'one' }, { team_1: 'one', other_2: 'three' }, { team_1: ['one'], other_2: 'two' }])(
    'does not count otherwise: %j',
    (content) => {
      expect(readSelections(content, fields)).toBeUndefined()
    },
  )
})
