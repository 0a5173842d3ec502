import { expect, it } from 'vitest'
import { checkArgumentLimits } from './argument-limits.ts'
import { InvalidInput } from '../errors/errors.ts'

const text = { type: 'string', maxLength: 5 }
const schema = {
  type: 'object',
  properties: {
    title: text,
    labels: { type: 'array', maxItems: 3, items: text },
    order: { anyOf: [text, { type: 'array', maxItems: 1, items: text }] },
    options: { type: 'object', properties: { note: { type: 'string', maxLength: 1 } } },
    free: { type: 'string' },
    count: { type: 'integer' },
  },
}

function refusal(args: unknown): string {
  try {
    checkArgumentLimits(schema, args)
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
  }
  return 'accepted'
}

it.each<[unknown, string]>([
  [{ title: 'abcde', labels: ['a', 'b', 'c'], order: 'a', options: { note: 'a' }, free: 'abcdefgh', count: 1 }, 'accepted'],
  [{ title: 7, labels: 'abcdefgh', other: 'abcdefgh', options: [] }, 'accepted'],
  [undefined, 'accepted'],
  [{ title: { any: 'abcdefgh' }, free: { title: 'abcdefgh' }, options: 'abcdefgh', other: null }, 'accepted'],
  [
    { title: 'secret', labels: ['secret'] },
    '"title" must have at most 5 characters, not 6. Item 1 of "labels" must have at most 5 characters, not 6.',
  ],
  [{ title: 'secret' }, '"title" must have at most 5 characters, not 6.'],
  [{ labels: ['a', 'b', 'c', 'd'] }, '"labels" must have at most 3 items, not 4.'],
  [{ labels: ['a', 'secret'] }, 'Item 2 of "labels" must have at most 5 characters, not 6.'],
  [{ order: ['a', 'b'] }, '"order" must have at most 1 item, not 2.'],
  [{ order: 'secret' }, '"order" must have at most 5 characters, not 6.'],
  [{ options: { note: 'ab' } }, '"options.note" must have at most 1 character, not 2.'],
])('the error for %j contains its limits', (args, message) => {
  expect(refusal(args)).toBe(message)
})

it('lists up to five arguments that are too large', () => {
  const long = 'x'.repeat(6)
  expect(refusal({ title: long, labels: [long, long, long], order: long, options: { note: long } }).match(/must have/g)).toHaveLength(5)
})

it('refuses deep nesting, however deep', () => {
  const nest = (depth: number) => {
    let value: unknown = 1
    for (let level = 0; level < depth; level += 1) value = [value]
    return { shallow: 1, other: value, more: [] }
  }
  expect(refusal(nest(127))).toBe('accepted')
  for (const depth of [128, 1_000_000]) expect(refusal(nest(depth))).toContain('more than 128 levels deep')
})

it('reads no item of a list that is too long', () => {
  let reads = 0
  const items = new Proxy(['a', 'b', 'c', 'd'], {
    get(target, key) {
      if (key === '0') reads += 1
      const value: unknown = Reflect.get(target, key)
      return value
    },
  })
  expect(refusal({ labels: items })).toContain('at most 3 items')
  expect(reads).toBe(0)
})
