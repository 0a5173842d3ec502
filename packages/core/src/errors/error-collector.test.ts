import { describe, expect, it } from 'vitest'
import { combineErrors, ErrorCollector, throwCombined } from './error-collector.ts'
import { Ambiguous, type Choice, Forbidden, InvalidInput, NotFound, type ToolError, Unavailable } from './errors.ts'

const fail = (error: Error) => () => {
  throw error
}

/** The error thrown for the given failures. */
function combined(...failures: ToolError[]): ToolError {
  try {
    throwCombined(failures)
  } catch (error) {
    if (error instanceof NotFound || error instanceof Ambiguous || error instanceof InvalidInput) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}

const choice = (parameter: string): Choice => ({ parameter, reference: 'x', kind: 'team', options: [{ id: '1', label: 'X' }] })

describe('a collector', () => {
  it('returns the results of attempts that succeed, and throws nothing', () => {
    const errors = new ErrorCollector()
    const result = errors.collect(() => 7)
    errors.throwIfAny()
    expect([result(), errors.failures]).toEqual([7, []])
  })

  it('accepts asynchronous attempts, and lets errors through that do not concern the arguments', async () => {
    const errors = new ErrorCollector()
    const missing = new NotFound('No team.')
    const [seven, team] = await Promise.all([errors.collectAsync(Promise.resolve(7)), errors.collectAsync(Promise.reject(missing))])
    expect([seven(), errors.failures]).toEqual([7, [missing]])
    expect(team).toThrow(missing)
    await expect(errors.collectAsync(Promise.reject(new Unavailable('Later.')))).rejects.toThrow('Later.')
  })

  it('makes every attempt before it reports all failures', () => {
    const errors = new ErrorCollector()
    const [first, second] = [new NotFound('No team.'), new NotFound('No label.')]
    const team = errors.collect(fail(first))
    const attempts: string[] = []
    errors.collect(() => attempts.push('made'))
    errors.collect(fail(second))
    expect(attempts).toEqual(['made'])
    expect(errors.failures).toEqual([first, second])
    expect(team).toThrow(first)
    expect(() => {
      errors.throwIfAny()
    }).toThrow('No team. No label.')
  })

  it.each([new Forbidden('No.'), new TypeError('defect')])('throws at once if an error does not concern the arguments: %o', (error) => {
    const errors = new ErrorCollector()
    expect(() => errors.collect(fail(error))).toThrow(error)
    expect(errors.failures).toEqual([])
  })
})

describe('several failures', () => {
  it('throw nothing if there are none, and a single one unchanged', () => {
    throwCombined([])
    const only = new NotFound('No team.', { next: { tool: 'Acme.List' } })
    expect(combined(only)).toBe(only)
  })

  it('throw the first error that does not concern the arguments, if there is one', () => {
    const unavailable = new Unavailable('Later.')
    expect(() => {
      throwCombined([new NotFound('No team.'), unavailable, new Forbidden('No.')])
    }).toThrow(unavailable)
  })

  it('keep their class if all have the same one, and are invalid input otherwise', () => {
    expect(combined(new NotFound('a'), new NotFound('b'))).toBeInstanceOf(NotFound)
    expect(combined(new Ambiguous('a'), new Ambiguous('b'))).toBeInstanceOf(Ambiguous)
    expect(combined(new Ambiguous('a'), new NotFound('b'))).toBeInstanceOf(InvalidInput)
    expect(combined(new InvalidInput('a'), new InvalidInput('b'))).toBeInstanceOf(InvalidInput)
  })

  it('are listed once each, at most twelve of them', () => {
    const same = [new NotFound('No team.'), new NotFound('No team.'), new NotFound('No label.')]
    expect(combined(...same).message).toBe('No team. No label.')
    const many = Array.from({ length: 13 }, (_, index) => new NotFound(`${index}.`))
    expect(combined(...many).message).toBe('0. 1. 2. 3. 4. 5. 6. 7. 8. 9. 10. 11. 1 more problem is not listed.')
    expect(combined(...many.slice(1)).message).not.toContain('more problem')
  })

  it('propose every change on which they agree', () => {
    const change = (changes: Readonly<Record<string, unknown>>) => new NotFound('No.', { next: { change: changes } })
    const error = combined(change({ a: ['x'], b: 1 }), change({ a: ['x'], b: 2 }), change({ c: null }), new NotFound('Other.'))
    expect(error.details.next).toEqual({ change: { a: ['x'], c: null } })
  })

  it('propose the first tool if there is no change, and nothing if there is no tool', () => {
    const tool = (name: string) => new NotFound(name, { next: { tool: name, arguments: { first: 1 } } })
    const command = new NotFound('c', { next: { command: 'acme login' } })
    expect(combined(command, tool('Acme.List'), tool('Acme.Get')).details.next).toEqual({ tool: 'Acme.List', arguments: { first: 1 } })
    expect(combined(command, new NotFound('No.')).details).not.toHaveProperty('next')
    expect(combineErrors([tool('Acme.List'), command], { a: 1 }).details.next).toEqual({ change: { a: 1 } })
  })

  it('suggest each value once, and at most thirty', () => {
    const suggest = (...values: number[]) =>
      new NotFound(values.join(), { suggestions: values.map((id) => ({ value: 'v', id: String(id), confidence: 0.5 })) })
    expect(combined(suggest(1, 2), suggest(2, 3), new NotFound('No.')).details.suggestions?.map(({ id }) => id)).toEqual(['1', '2', '3'])
    const range = (from: number) => Array.from({ length: 20 }, (_, index) => from + index)
    expect(combined(suggest(...range(0)), suggest(...range(20))).details.suggestions).toHaveLength(30)
  })

  it('can be answered by a person only if answers fix all of them', () => {
    const [team, label] = [choice('team'), choice('label')]
    const ambiguous = (...choices: Choice[]) => new Ambiguous('Which?', { choices })
    expect(combined(ambiguous(team, label), ambiguous(team)).details.choices).toEqual([team, label])
    expect(combined(ambiguous(team), new Ambiguous('Which?')).details).not.toHaveProperty('choices')
    expect(combined(ambiguous(team), new NotFound('No.')).details).not.toHaveProperty('choices')
  })
})
