import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { InvalidInput, type ErrorDetails, type Suggestion } from './errors.ts'
import { rank, type Ranked } from './matching/rank.ts'

type Issue = z.core.$ZodIssue

/** How alike a misspelt word and the right one must be before we offer it. */
const plausible = 0.5

/**
 * Says in one error everything that is wrong with the arguments, each with its mend. Where an argument or an enum value is
 * misspelt, or a value has the form of a text that only needs to be read (`"3"` for 3) or to stand in a list, `next.change` holds
 * the corrected call.
 */
export function invalidArguments(input: z.ZodObject, given: unknown, error: z.ZodError): InvalidInput {
  const findings = error.issues.filter(isOfItsType).map((issue) => explain(issue, input, given))
  const suggestions = findings.flatMap((finding) => finding.details.suggestions ?? [])
  const change = Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.details.next?.change ?? {})))
  return new InvalidInput(findings.map((finding) => finding.text).join(' '), {
    suggestions,
    ...(Object.keys(change).length > 0 && { next: { change } }),
  })
}

/** Of a value of another type only that is told: a text in place of a list has no number of items. */
function isOfItsType(issue: Issue, _index: number, all: readonly Issue[]): boolean {
  return issue.code === 'invalid_type' || !all.some(({ code, path }) => code === 'invalid_type' && isDeepStrictEqual(path, issue.path))
}

interface Finding {
  readonly text: string
  readonly details: ErrorDetails
}

function explain(issue: Issue, input: z.ZodObject, given: unknown): Finding {
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const expected = Object.keys(shape)
  const where = issue.path.map(String).join('.')
  switch (issue.code) {
    case 'unrecognized_keys':
      return where === '' ? unknownArguments(issue.keys, expected, given) : plain(where, `has unknown keys: ${issue.keys.join(', ')}.`)
    case 'invalid_value':
      return wrongValue(where, issue)
    case 'invalid_type':
      return where === ''
        ? { text: `The arguments must be one JSON object with: ${listed(expected)}.`, details: {} }
        : wrongType(where, issue, shape[where])
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

/** A value of another type; where the same in the right form is taken by the argument itself, with that. */
function wrongType(where: string, issue: Extract<Issue, { code: 'invalid_type' }>, argument: z.core.$ZodType | undefined): Finding {
  if (issue.input === undefined) return plain(where, 'is required.')
  const { text } = plain(where, `must be ${article(issue.expected)}.`)
  const meant = inForm(issue.expected, issue.input)
  const taken = argument !== undefined && meant !== undefined && z.safeParse(argument, meant).success
  return { text, details: taken ? { next: { change: { [where]: meant } } } : {} }
}

/** What a caller wrote, as another type: a text that is read, or a value as the only one of a list. */
function inForm(type: string, input: unknown): unknown {
  const read = typeof input === 'string' ? fromJson(input) : undefined
  if (type === 'array') return Array.isArray(read) ? read : [input]
  return typeof read === (type === 'int' ? 'number' : type) && read !== null ? read : undefined
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text.toLowerCase() === 'true' || text.toLowerCase() === 'false' ? text.toLowerCase() : text)
  } catch {
    return undefined
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

/** A value that is no choice, with the choices; what the schema's author has to say follows them. */
function wrongValue(where: string, { values: allowed, input, message }: Extract<Issue, { code: 'invalid_value' }>): Finding {
  const list = allowed.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')
  if (input === undefined) return { text: `"${where}" is required: ${list}.`, details: {} }
  const [best] = typeof input === 'string' ? rank(input, allowed.map(String)) : []
  const more = /^Invalid (?:input|option)\b/.test(message) ? '' : ` ${message}.`
  const text = `"${where}" must be ${list}, not ${shown(input)}.${more}`
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
