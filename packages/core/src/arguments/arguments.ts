import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { InvalidInput, type ErrorDetails } from '../errors.ts'
import { isObject, parseJson } from '../json.ts'
import { rank, suggestionOf } from '../matching/rank.ts'
import { truncate, quote } from '../text.ts'

type Issue = z.core.$ZodIssue

/** How likely a correction of a misspelt word must be to be proposed. */
const minConfidence = 0.5

/** How many problems one error lists; the caller corrects these first. */
const maxProblems = 12

/** How many unknown names are listed and compared with the expected ones. */
const maxUnknownNames = 5

/** Longest text that is compared with the expected ones, in UTF-16 units; nothing that is expected is as long. */
const maxMisspelt = 100

/** How much of a caller's name a message repeats. */
const maxQuoted = 80

/**
 * One error that says everything that is wrong with the arguments, each with its fix. Where an argument or an enum value is misspelt,
 * or a value only needs to be parsed (`"3"` for 3) or put into a list, `next.change` holds the corrected arguments.
 */
export function invalidArguments(input: z.ZodObject, args: unknown, error: z.ZodError): InvalidInput {
  // Some thousand items can each be wrong in the same way.
  const issues = error.issues.slice(0, 2 * maxProblems).filter(isIndependent)
  const findings = issues.slice(0, maxProblems).map((issue) => explain(issue, input, args))
  const suggestions = findings.flatMap((finding) => finding.details.suggestions ?? [])
  const change = Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.details.next?.change ?? {})))
  const rest = error.issues.length - 2 * maxProblems
  const more = rest > 0 ? [`${rest} more problems are not listed.`] : []
  return new InvalidInput([...findings.map(({ text }) => text), ...more].join(' '), {
    suggestions,
    ...(Object.keys(change).length > 0 && { next: { change } }),
  })
}

/** When a value has the wrong type, only that is reported: the length of a list says nothing about a string. */
function isIndependent(issue: Issue, _index: number, all: readonly Issue[]): boolean {
  return issue.code === 'invalid_type' || !all.some(({ code, path }) => code === 'invalid_type' && isDeepStrictEqual(path, issue.path))
}

interface Finding {
  readonly text: string
  readonly details: ErrorDetails
}

function explain(issue: Issue, input: z.ZodObject, args: unknown): Finding {
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const expected = Object.keys(shape)
  const where = truncate(issue.path.map(String).join('.'), maxQuoted)
  switch (issue.code) {
    case 'unrecognized_keys':
      return where === '' ? unknownArguments(issue.keys, shape, args) : problem(where, `has unknown keys: ${listUnknown(issue.keys)}.`)
    case 'invalid_value':
      return wrongValue(where, issue)
    case 'invalid_type':
      return where === ''
        ? plain(`The arguments must be one JSON object with: ${listNames(expected)}.`)
        : wrongType(where, issue, shape[where])
    case 'invalid_union':
      return problem(where, issue.input === undefined ? 'is required.' : `must be ${describeUnion(issue.errors)}.`)
    case 'too_big':
    case 'too_small':
      return outOfRange(where, issue)
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'not_multiple_of':
      return where === '' ? plain(`${issue.message}.`) : problem(where, `${uncapitalize(issue.message)}.`)
  }
}

function plain(text: string): Finding {
  return { text, details: {} }
}

function problem(where: string, text: string): Finding {
  return plain(`"${where}" ${text}`)
}

/** A value of another type, with the converted value where the argument accepts that. */
function wrongType(where: string, issue: Extract<Issue, { code: 'invalid_type' }>, argument: z.core.$ZodType | undefined): Finding {
  if (issue.input === undefined) return problem(where, 'is required.')
  const { text } = problem(where, `must be ${withArticle(issue.expected)}.`)
  // The schema of the argument decides whether the converted value has the right type.
  const converted = convert(issue.input, issue.expected)
  const isAccepted = argument !== undefined && converted !== undefined && z.safeParse(argument, converted).success
  return { text, details: isAccepted ? { next: { change: { [where]: converted } } } : {} }
}

/** A value as another type: a string is parsed, and any value becomes the only item of a list. */
function convert(value: unknown, type: string): unknown {
  const parsed = typeof value === 'string' ? parseJson(/^(?:true|false)$/i.test(value) ? value.toLowerCase() : value) : undefined
  if (type === 'array') return Array.isArray(parsed) ? parsed : [value]
  return parsed
}

/** The unit of a size limit, by the type of the value. */
const sizeUnits: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

/** A value beyond its bound, with the bound, unless the schema has its own message. The fix for a number is the bound. */
function outOfRange(where: string, issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): Finding {
  if (!/^Too (?:big|small)\b/.test(issue.message)) return problem(where, `${uncapitalize(issue.message)}.`)
  const isInclusive = issue.inclusive !== false
  const isTooBig = issue.code === 'too_big'
  const bound = Number(isTooBig ? issue.maximum : issue.minimum)
  const unit = sizeUnits[issue.origin]
  const side = isTooBig ? (isInclusive ? 'at most' : 'less than') : isInclusive ? 'at least' : 'more than'
  if (unit !== undefined) {
    if (issue.code === 'too_small' && bound === 1) return problem(where, 'must not be empty.')
    const actual = sizeOf(issue.input)
    const units = bound === 1 ? unit.slice(0, -1) : unit
    return problem(
      where,
      `must have ${issue.exact === true ? 'exactly' : side} ${bound} ${units}${actual === undefined ? '' : `, not ${actual}`}.`,
    )
  }
  const { text } = problem(where, `must be ${side} ${bound}, not ${toShortJson(issue.input)}.`)
  return { text, details: isInclusive && !where.includes('.') ? { next: { change: { [where]: bound } } } : {} }
}

function sizeOf(value: unknown): number | undefined {
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined
}

/** Describes the types that a union accepts. */
function describeUnion(members: readonly (readonly Issue[])[]): string {
  const types = members.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? withArticle(first.expected) : undefined,
  )
  return types.includes(undefined) ? 'a different kind of value' : types.join(' or ')
}

function uncapitalize(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function listNames(names: readonly string[]): string {
  return names.length > 0 ? names.join(', ') : 'none'
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** The first unknown names, and how many there are besides. */
function listUnknown(names: readonly string[], show = (name: string) => name): string {
  const more = names.length - maxUnknownNames
  const listed = names.slice(0, maxUnknownNames).map((name) => show(truncate(name, maxQuoted)))
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function unknownArguments(unknown: readonly string[], shape: Readonly<Record<string, z.core.$ZodType>>, args: unknown): Finding {
  const expected = Object.keys(shape)
  const values = isObject(args) ? args : {}
  const unused = expected.filter((name) => !(name in values))
  const corrections = unknown.slice(0, maxUnknownNames).flatMap((name) => {
    if (name.length > maxMisspelt) return []
    const [best] = rank(name, unused)
    return best && best.confidence >= minConfidence ? [{ name, best }] : []
  })
  // With two names for one argument, nothing says which value is meant.
  const unambiguous = corrections.filter(({ best }) => corrections.filter((other) => other.best.value === best.value).length === 1)
  const list = listUnknown(unknown, (name) => quote(name))
  return {
    text: `Unknown argument${unknown.length > 1 ? 's' : ''} ${list}. Expected arguments: ${listNames(expected)}.`,
    details: {
      suggestions: corrections.map(({ best }) => suggestionOf(best, { value: best.value, parameter: best.value })),
      next: {
        change: Object.fromEntries(
          unambiguous.flatMap(({ name, best }) => {
            const argument = shape[best.value]
            // A change that would be refused in turn is no help.
            const isAccepted = argument !== undefined && z.safeParse(argument, values[name]).success
            return isAccepted
              ? [
                  [name, null],
                  [best.value, values[name]],
                ]
              : []
          }),
        ),
      },
    },
  }
}

/** A value that is not one of the allowed ones, with these and with the message of the schema. */
function wrongValue(where: string, { values: allowed, input, message }: Extract<Issue, { code: 'invalid_value' }>): Finding {
  const list = allowed.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(' or ')
  if (input === undefined) return problem(where, `is required: ${list}.`)
  const [best] = typeof input === 'string' && input.length <= maxMisspelt ? rank(input, allowed.map(String)) : []
  const more = /^Invalid (?:input|option)\b/.test(message) ? '' : ` ${message}.`
  const finding = problem(where, `must be ${list}, not ${toShortJson(input)}.${more}`)
  if (!best || best.confidence < minConfidence) return finding
  return {
    text: finding.text,
    details: {
      suggestions: [suggestionOf(best, { value: best.value, parameter: where })],
      ...(!where.includes('.') && { next: { change: { [where]: allowed[best.index] } } }),
    },
  }
}

function toShortJson(value: unknown): string {
  // Half of a long text would be serialized only to be cut.
  return truncate(JSON.stringify(typeof value === 'string' ? value.slice(0, maxQuoted) : value), maxQuoted - 1)
}
