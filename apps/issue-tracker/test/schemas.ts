import * as fc from 'fast-check'
import * as z from 'zod'
import { issueTracker } from '../src/server.ts'
import type { Args } from './calls.ts'

const Parameter = z.object({
  type: z.enum(['string', 'integer', 'boolean']),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})
type Parameter = z.output<typeof Parameter>

const Input = z.object({ properties: z.record(z.string(), Parameter), required: z.array(z.string()).default([]) })

/** The reading tools with their published parameters. */
export const readingTools = issueTracker.listedTools
  .filter(({ effect }) => effect === 'read')
  .map(({ name, inputSchema }) => ({ name, ...Input.parse(inputSchema) }))

const attacks = [
  '"} } viewer { id } #',
  '\n}\nquery Other { viewer { email } }',
  '${filter}',
  '$filter',
  '...Person',
  '{ id: { eq: "x" } }',
  '\\',
  '\u0000',
  '__proto__',
]
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })

/** Texts that could be mistaken for something else, or that try to be several texts. */
const text = fc.oneof(
  anyText,
  fc.constantFrom(...attacks),
  fc
    .tuple(fc.constantFrom('@me', 'ENG-1', 'ENG', 'Todo', 'qa/', 'https://linear.app/lodestar/issue/ENG-1/'), anyText)
    .map((parts) => parts.join('')),
  fc.uuid(),
)

function value(name: string, { type, enum: words, minimum = 0, maximum = 1_000_000 }: Parameter): fc.Arbitrary<unknown> {
  if (words) return fc.constantFrom(...words)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum })
  // Text that is not a date is refused before anything is sent.
  return /_(?:after|date)$/.test(name) ? fc.constantFrom('2020-02-29', '2026-01-01') : text
}

/**
 * Arguments that match a tool's published schema, with arbitrary text wherever text is accepted; without a cursor, which would be refused.
 */
export function argumentsOf({ properties, required }: z.output<typeof Input>): fc.Arbitrary<Args> {
  const free = Object.entries(properties).filter(([name]) => name !== 'end_cursor')
  return fc.record(Object.fromEntries(free.map(([name, parameter]) => [name, value(name, parameter)])), { requiredKeys: required })
}
