import type * as z from 'zod'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../base/json.ts'
import { placeOf } from '../errors/place.ts'
import { quote, truncate } from '../errors/text.ts'

type Issue = z.core.$ZodIssue

/** Maximum problems listed in one error; the caller can correct these first. */
const maxProblems = 12
/** Maximum unknown names listed and compared with the expected names. */
export const maxUnknownNames = 5
/** Maximum characters of a caller-supplied name or value repeated in a message. */
const maxQuoted = 80

/** Problems with the arguments, one sentence each. `single` are the fields of one thing: a list in them does not mean several calls. */
export function describeProblems(issues: readonly Issue[], expected: readonly string[], single: readonly string[] = []): string[] {
  const listed: Issue[] = []
  // For a value of the wrong type, report only the type: a list's length limit says nothing about a string.
  for (const issue of issues.slice(0, maxProblems))
    if (!listed.some(({ code, path }) => code === 'invalid_type' && isDeepStrictEqual(path, issue.path))) listed.push(issue)
  const texts = [...new Set(listed.map((issue) => describeProblem(issue, expected, single)))]
  const more = issues.length - maxProblems
  return more > 0 ? [...texts, `${more} more ${more === 1 ? 'problem is' : 'problems are'} not listed.`] : texts
}

function describeProblem(issue: Issue, expected: readonly string[], single: readonly string[]): string {
  const isRoot = issue.path.length === 0
  const names = expected.join(', ') || 'none'
  const several = single.includes(String(issue.path[0])) ? 'it takes one' : 'pass one per call'
  const at = (text: string) => `${placeOf(issue.path, isObject(issue.input))} ${text}`
  switch (issue.code) {
    case 'unrecognized_keys':
      if (!isRoot) return at(`has unknown keys: ${listUnknown(issue.keys)}.`)
      return `Unknown argument${issue.keys.length > 1 ? 's' : ''} ${listUnknown(issue.keys, quote)}. Expected arguments: ${names}.`
    case 'invalid_value':
      return at(describeAllowed(issue, several))
    case 'invalid_type':
      if (isRoot) return `The arguments must be one JSON object. Expected: ${names}.`
      return at(
        issue.input === undefined
          ? 'is required.'
          : `must be ${withArticle(issue.expected)}${isSeveral(issue.input) ? `, not a list; ${several}` : ''}.`,
      )
    case 'invalid_union':
      return at(issue.input === undefined ? 'is required.' : `must be ${describeUnion(issue.errors)}.`)
    case 'too_big':
    case 'too_small':
      return at(describeBound(issue))
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'not_multiple_of':
      return isRoot ? `${issue.message}.` : at(`${uncapitalize(issue.message)}.`)
  }
}

/** The first unknown names, and the number of others. */
function listUnknown(names: readonly string[], show = (name: string) => name): string {
  const more = names.length - maxUnknownNames
  const listed = names.slice(0, maxUnknownNames).map((name) => show(truncate(name, maxQuoted)))
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The allowed values, and the schema's message if it has one. */
function describeAllowed({ values, input, message }: Extract<Issue, { code: 'invalid_value' }>, several: string): string {
  const list = values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(' or ')
  if (input === undefined) return `is required: ${list}.`
  const more = /^Invalid (?:input|option)\b/.test(message) ? '' : ` ${message}.`
  return `must be ${list}, not ${describeValue(input)}${isSeveral(input) ? `; ${several}` : ''}.${more}`
}

const isSeveral = (value: unknown) => Array.isArray(value) && value.length > 1

/** Describes the bound, unless the schema has its own message. */
function describeBound(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): string {
  if (!/^Too (?:big|small)\b/.test(issue.message)) return `${uncapitalize(issue.message)}.`
  const bound = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum)
  const { input } = issue
  const [reached, beyond] = issue.code === 'too_big' ? ['at most', 'less than'] : ['at least', 'more than']
  const side = issue.exact === true ? 'exactly' : issue.inclusive === false ? beyond : reached
  if (typeof input !== 'string' && !Array.isArray(input)) return `must be ${side} ${bound}, not ${describeValue(input)}.`
  if (issue.code === 'too_small' && bound === 1) return 'must not be empty.'
  return `must have ${side} ${bound} ${typeof input === 'string' ? 'character' : 'item'}${bound === 1 ? '' : 's'}, not ${input.length}.`
}

function describeUnion(members: readonly (readonly Issue[])[]): string {
  const types = members.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? withArticle(first.expected) : undefined,
  )
  return types.includes(undefined) ? 'a different kind of value' : types.join(' or ')
}

function uncapitalize(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number'
  if (type === 'array') return 'a list'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** A value, for a message. Text is cut first, because it may be millions of characters long. */
function describeValue(value: unknown): string {
  return typeof value === 'string' ? quote(truncate(value, maxQuoted)) : truncate(JSON.stringify(value), maxQuoted - 1)
}
