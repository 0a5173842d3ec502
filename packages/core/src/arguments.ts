import type * as z from 'zod'
import { InvalidInput, type ErrorDetails, type Suggestion } from './errors.ts'
import { rank, type Ranked } from './fuzzy.ts'

type Issue = z.core.$ZodIssue

/** How alike a misspelt word and the right one must be before we offer it. */
const plausible = 0.5

/**
 * Says in one error everything that is wrong with the arguments, each with its mend. Where an argument or an enum value is
 * misspelt, `next.change` holds the corrected call.
 */
export function invalidArguments(input: z.ZodObject, given: unknown, error: z.ZodError): InvalidInput {
  const expected = Object.keys(input.shape)
  const findings = error.issues.map((issue) => explain(issue, expected, given))
  const suggestions = findings.flatMap((finding) => finding.details.suggestions ?? [])
  const change = Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.details.next?.change ?? {})))
  return new InvalidInput(findings.map((finding) => finding.text).join(' '), {
    suggestions,
    ...(Object.keys(change).length > 0 && { next: { change } }),
  })
}

interface Finding {
  readonly text: string
  readonly details: ErrorDetails
}

function explain(issue: Issue, expected: readonly string[], given: unknown): Finding {
  const where = issue.path.map(String).join('.')
  switch (issue.code) {
    case 'unrecognized_keys':
      return where === '' ? unknownArguments(issue.keys, expected, given) : plain(where, `has unknown keys: ${issue.keys.join(', ')}.`)
    case 'invalid_value':
      return wrongValue(where, issue.values, issue.input)
    case 'invalid_type':
      return where === ''
        ? { text: `The arguments must be one JSON object with: ${listed(expected)}.`, details: {} }
        : plain(where, issue.input === undefined ? 'is required.' : `must be ${article(issue.expected)}.`)
    case 'invalid_union':
      return plain(where, issue.input === undefined ? 'is required.' : `must be ${anyOf(issue.errors)}.`)
    case 'too_big':
    case 'too_small':
      return where === '' ? { text: `${issue.message}.`, details: {} } : beyond(where, issue)
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'not_multiple_of':
      return where === '' ? { text: `${issue.message}.`, details: {} } : plain(where, `${lowered(issue.message)}.`)
  }
}

type Beyond = Extract<Issue, { code: 'too_big' | 'too_small' }>

/** What is counted of a value that has a size. */
const counted: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', map: 'items', object: 'keys' }

/** A value beyond its bound, with the bound; a message of the schema's author stays. A number is mended to the bound. */
function beyond(where: string, issue: Beyond): Finding {
  if (!/^Too (?:big|small)\b/.test(issue.message)) return plain(where, `${lowered(issue.message)}.`)
  const bound = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum)
  const unit = counted[issue.origin]
  const side =
    issue.code === 'too_big' ? (issue.inclusive === false ? 'less than' : 'at most') : issue.inclusive === false ? 'more than' : 'at least'
  if (unit !== undefined) {
    if (issue.code === 'too_small' && bound === 1) return plain(where, 'must not be empty.')
    return plain(where, `must have ${issue.exact === true ? 'exactly' : side} ${bound} ${bound === 1 ? unit.slice(0, -1) : unit}.`)
  }
  const text = `"${where}" must be ${side} ${bound}, not ${shown(issue.input)}.`
  const mend = issue.inclusive !== false && !where.includes('.')
  return { text, details: mend ? { next: { change: { [where]: bound } } } : {} }
}

/** What a union takes, as far as its members say it by their types. */
function anyOf(members: readonly (readonly Issue[])[]): string {
  const types = members.map(([first]) => (first?.code === 'invalid_type' && first.path.length === 0 ? article(first.expected) : undefined))
  return types.includes(undefined) ? 'of another form' : types.join(' or ')
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function listed(expected: readonly string[]): string {
  return expected.length > 0 ? expected.join(', ') : 'none'
}

function plain(where: string, text: string): Finding {
  return { text: `"${where}" ${text}`, details: {} }
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function unknownArguments(unknown: readonly string[], expected: readonly string[], given: unknown): Finding {
  const values: Record<string, unknown> = typeof given === 'object' && given !== null ? { ...given } : {}
  const free = expected.filter((name) => !(name in values))
  const closest = unknown.map((name) => ({ name, best: rank(name, free)[0] }))
  const mended = closest.flatMap(({ name, best }) => (best && best.confidence >= plausible ? [{ name, best }] : []))
  // Two names for one argument: which value is meant is not ours to say.
  const sure = mended.filter(({ best }) => mended.filter((other) => other.best.value === best.value).length === 1)
  const list = unknown.map((name) => `"${name}"`).join(', ')
  return {
    text: `Unknown argument${unknown.length > 1 ? 's' : ''} ${list}. Expected arguments: ${listed(expected)}.`,
    details: {
      suggestions: mended.map(({ best }) => suggestion(best)),
      next: {
        change: Object.fromEntries(
          sure.flatMap(({ name, best }) => [
            [name, null],
            [best.value, values[name]],
          ]),
        ),
      },
    },
  }
}

function wrongValue(where: string, allowed: readonly unknown[], input: unknown): Finding {
  const list = allowed.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')
  if (input === undefined) return { text: `"${where}" is required: ${list}.`, details: {} }
  const [best] = typeof input === 'string' ? rank(input, allowed.map(String)) : []
  const text = `"${where}" must be ${list}, not ${shown(input)}.`
  if (!best || best.confidence < plausible) return { text, details: {} }
  return {
    text,
    details: {
      suggestions: [suggestion(best)],
      ...(!where.includes('.') && { next: { change: { [where]: allowed[best.index] } } }),
    },
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

function suggestion({ value, confidence }: Ranked): Suggestion {
  return { value, confidence: Math.round(confidence * 100) / 100 }
}
