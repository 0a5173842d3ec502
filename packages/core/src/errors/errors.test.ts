import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  errorFromJson,
  errorToJson,
  mapErrorTexts,
  withDetails,
  Ambiguous,
  Conflict,
  Forbidden,
  Internal,
  InvalidInput,
  NotFound,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  type ErrorDetails,
} from './errors.ts'
import { Message, sentence } from './message.ts'

const kinds = [
  [InvalidInput, 'invalid_input', false],
  [NotFound, 'not_found', false],
  [Ambiguous, 'ambiguous', false],
  [Forbidden, 'forbidden', false],
  [Unauthenticated, 'unauthenticated', false],
  [Conflict, 'conflict', false],
  [RateLimited, 'rate_limited', true],
  [TooLarge, 'too_large', false],
  [Unavailable, 'unavailable', true],
  [Internal, 'internal', false],
] as const

const everything: Required<ErrorDetails> = {
  suggestions: [{ value: 'Engineering', id: 't1', confidence: 0.95 }],
  choices: [{ parameter: 'team', reference: 'Enginering', kind: 'team', options: [{ id: 't1', label: 'Engineering' }] }],
  next: { tool: 'IssueTracker.CreateIssue', arguments: { team: 'Engineering' } },
  rest: { args: { title: 'x' }, missing: ['team'] },
  connect: { purpose: 'account', scopes: ['read'] },
  retryable: true,
  retryAfterSeconds: 3,
  sent: 'maybe',
  httpStatus: 400,
  errors: ['userId is missing'],
}

describe.each(kinds)('%o', (Kind, code, retryable) => {
  it('has a code, a default for retryable, and no unknown members', () => {
    expect(new Kind('So.').toJSON()).toStrictEqual({ code, message: 'So.', retryable })
    expect(new Kind('So.', { suggestions: [] }).toJSON()).toStrictEqual({ code, message: 'So.', retryable })
  })

  it('lets details override retryable', () => {
    const error = new Kind('So.', { retryable: !retryable })
    expect([error.retryable, error.toJSON().retryable]).toEqual([!retryable, !retryable])
  })

  it('keeps its class with other details', () => {
    const error = withDetails(new Kind('So.'), 'So and so.', { httpStatus: 400 })
    expect(error).toBeInstanceOf(Kind)
    expect(error.toJSON()).toStrictEqual({ code, message: 'So and so.', retryable, http_status: 400 })
  })
})

describe('an error', () => {
  it('has a fixed order of members, without choices', () => {
    expect(JSON.stringify(new NotFound('No team matches "Enginering".', everything))).toBe(
      '{"code":"not_found","message":"No team matches \\"Enginering\\".","retryable":true,"retry_after_seconds":3,"http_status":400,' +
        '"errors":["userId is missing"],"suggestions":[{"value":"Engineering","id":"t1","confidence":0.95}],' +
        '"next":{"tool":"IssueTracker.CreateIssue","arguments":{"team":"Engineering"}}}',
    )
  })

  it('is inspected without a stack or a cause', () => {
    expect(inspect(new Forbidden('No.'))).toBe('Forbidden {"code":"forbidden","message":"No.","retryable":false}')
    expect(new Forbidden('No.')).not.toHaveProperty('cause')
    expect(new Forbidden('No.').name).toBe('Forbidden')
  })
})

describe('rendered for a surface', () => {
  const spelling = {
    tool: (name: string) => (name === 'Acme.Hidden' ? undefined : name.replace('.', '_')),
    option: (name: string) => name.replace('--', ''),
    variable: (name: string) => name.toLowerCase(),
  }
  const text = Message.of(
    'No.',
    sentence`Call ${{ tool: 'Acme.List' }} without ${{ option: '--tools' }}.`,
    sentence`See ${{ tool: 'Acme.Hidden' }}.`,
  )

  it('spells mentions in the message and the next step', () => {
    const error = new NotFound(text, { next: { tool: 'Acme.List', arguments: { first: 1 } } })
    expect(error.message).toBe('No. Call Acme.List without --tools. See Acme.Hidden.')
    expect(error.render(spelling)).toStrictEqual({
      code: 'not_found',
      message: 'No. Call Acme_List without tools.',
      retryable: false,
      next: { tool: 'Acme_List', arguments: { first: 1 } },
    })
  })

  it('does not propose a tool that is not offered', () => {
    const next = { tool: 'Acme.Hidden', arguments: { first: 1 } }
    expect(new NotFound('No.', { next }).render(spelling)).not.toHaveProperty('next')
    expect(new NotFound('No.', { next: { ...next, command: 'acme login' } }).render(spelling).next).toStrictEqual({ command: 'acme login' })
    expect(new NotFound('No.', { next: { change: { team: 'a' } } }).render(spelling).next).toStrictEqual({ change: { team: 'a' } })
  })

  it('can still be rendered after storage as JSON', () => {
    const stored: unknown = JSON.parse(JSON.stringify(errorToJson(new RateLimited(text, { retryAfterSeconds: 3, retryable: false }))))
    const restored = errorFromJson(stored)
    expect(restored).toBeInstanceOf(RateLimited)
    expect(restored?.render(spelling)).toStrictEqual({
      code: 'rate_limited',
      message: 'No. Call Acme_List without tools.',
      retryable: false,
      retry_after_seconds: 3,
    })
  })

  it('is restored from JSON that an earlier version stored without the text as data', () => {
    const stored: unknown = JSON.parse(JSON.stringify(new Conflict('Call Acme.List.', { httpStatus: 409 })))
    expect(errorFromJson(stored)).toStrictEqual(new Conflict('Call Acme.List.', { retryable: false, httpStatus: 409 }))
    expect(errorFromJson({ code: 'other', message: 'No.' })).toBeUndefined()
    for (const value of [
      'No.',
      null,
      [],
      { code: 'conflict' },
      { code: 7, message: 'No.' },
      { message: 'No.' },
      { code: 'toString', message: '' },
    ])
      expect(errorFromJson(value)).toBeUndefined()
  })

  it('has only the details that were stored', () => {
    const restored = errorFromJson(JSON.parse(JSON.stringify(errorToJson(new NotFound('No.')))))
    expect(restored?.details).toStrictEqual({ retryable: false })
    expect(new NotFound('No.', { next: { command: 'acme login' } }).render(spelling).next).toStrictEqual({ command: 'acme login' })
  })

  it('is restored from JSON with all details that are part of the JSON', () => {
    const { choices, sent, connect, rest, ...details } = everything
    expect([choices.length, sent, connect.purpose, rest.missing]).toEqual([1, 'maybe', 'account', ['team']])
    expect(errorFromJson(JSON.parse(JSON.stringify(errorToJson(new NotFound('No.', everything)))))?.details).toEqual(details)
  })
})

describe('every text of an error', () => {
  const body = new Ambiguous('no', {
    ...everything,
    suggestions: [
      { value: 'a', id: 'b', confidence: 0.5 },
      { value: 'c', confidence: 1 },
    ],
    next: { tool: 'Acme.List', arguments: { x: 'd' }, command: 'f' },
  }).toJSON()

  it('is changed, and nothing else', () => {
    expect(mapErrorTexts(body, (text) => text.toUpperCase())).toEqual({
      code: 'ambiguous',
      message: 'NO',
      retryable: true,
      retry_after_seconds: 3,
      http_status: 400,
      errors: ['USERID IS MISSING'],
      suggestions: [
        { value: 'A', id: 'B', confidence: 0.5 },
        { value: 'C', confidence: 1 },
      ],
      next: { tool: 'ACME.LIST', arguments: { X: 'D' }, command: 'F' },
    })
  })

  it('is changed if there are only some', () => {
    const change = (text: string) => `${text}!`
    expect(mapErrorTexts(new Conflict('no').toJSON(), change)).toEqual({ code: 'conflict', message: 'no!', retryable: false })
    for (const next of [{ tool: 'a' }, { command: 'a' }, { change: {} }])
      expect(Object.keys(mapErrorTexts(new Conflict('no', { next }).toJSON(), change).next ?? {})).toEqual(Object.keys(next))
  })
})

it('shows an error of limited length, whatever it repeats', () => {
  const large = 'x'.repeat(1_000_000)
  const error = new InvalidInput(`The value ${large} is wrong.`, {
    suggestions: [
      { value: large, confidence: 1 },
      ...Array.from({ length: 1_000 }, (_, index) => ({ value: `v${index}`, confidence: 0.5 })),
    ],
    errors: Array.from({ length: 1_000 }, () => large),
    next: { change: { value: large } },
  })
  const shown = error.toJSON()
  expect(JSON.stringify(shown).length).toBeLessThan(100_000)
  expect(shown.message).toMatch(/^The value x+…$/)
  expect(shown.suggestions).toHaveLength(30)
  expect(shown.suggestions?.[0]).toEqual({ value: 'v0', confidence: 0.5 })
  expect(shown).not.toHaveProperty('next')
  expect(shown.message).toHaveLength(16_001)
  expect(shown.errors?.map(({ length }) => length)).toEqual(Array(20).fill(1_001))
  const fitting = { suggestions: [{ value: 'x'.repeat(500), id: 'y'.repeat(500), confidence: 1 }], next: { command: 'x'.repeat(63_900) } }
  expect(new InvalidInput('No.', fitting).toJSON()).toMatchObject(fitting)
  const longest = { suggestions: [{ value: 'x'.repeat(1_000), confidence: 1 }] }
  expect(new InvalidInput('No.', longest).toJSON()).toMatchObject(longest)
  const [suggestion] = fitting.suggestions
  expect(
    new InvalidInput('No.', { suggestions: suggestion ? [{ ...suggestion, value: 'x'.repeat(501) }] : [] }).toJSON(),
  ).not.toHaveProperty('suggestions')
})
