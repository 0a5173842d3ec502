import type * as z from 'zod'
import { isDeepStrictEqual } from 'node:util'
import { quote, truncate } from '../errors/text.ts'

type Issue = z.core.$ZodIssue

/** Most problems that one error lists; the caller corrects these first. */
const maxProblems = 12

/** Most unknown names to list and to compare with the expected ones. */
export const maxUnknownNames = 5

/** Most characters of a caller's name or value to repeat in a message. */
const maxQuoted = 80

/** Faults of the arguments, one sentence for each. Equal faults of the items of a list are one: `labels 0-499`. */
export function describeProblems(issues: readonly Issue[], expected: readonly string[]): string[] {
  const problems = new Map<string, { readonly paths: PropertyKey[][]; readonly describe: (where: string) => string }>()
  let more = 0
  for (const issue of issues) {
    if (!isIndependent(issue, issues)) continue
    const describe = (where: string) => describeProblem(issue, where, expected)
    const key = JSON.stringify([issue.path.map((part) => (typeof part === 'number' ? 0 : String(part))), describe('')])
    const same = problems.get(key)
    if (same) same.paths.push(issue.path)
    else if (problems.size < maxProblems) problems.set(key, { paths: [issue.path], describe })
    else more += 1
  }
  const texts = [...problems.values()].map(({ paths, describe }) => describe(describePlace(paths)))
  return more > 0 ? [...texts, `${more} more ${more === 1 ? 'problem is' : 'problems are'} not listed.`] : texts
}

/** With more issues than this none is compared with the others, because that takes too long. */
const maxCompared = 1_000

/** When a value has the wrong type, only that is reported: the length of a list says nothing about a string. */
function isIndependent(issue: Issue, all: readonly Issue[]): boolean {
  if (issue.code === 'invalid_type' || all.length > maxCompared) return true
  return !all.some(({ code, path }) => code === 'invalid_type' && isDeepStrictEqual(path, issue.path))
}

/** `labels.3`, or `labels 0-4, 7` for the items of a list that have the same fault. */
function describePlace(paths: readonly PropertyKey[][]): string {
  const [first = []] = paths
  const place = first.findIndex((part) => typeof part === 'number')
  if (paths.length === 1 || place < 0) return truncate(first.map(String).join('.'), maxQuoted)
  const before = first.slice(0, place).map(String).join('.')
  const after = first.slice(place + 1).map(String)
  const items = [...new Set(paths.map((path) => Number(path[place])))]
  return truncate([`${before} ${describeRanges(items)}`, ...after].join('.'), maxQuoted)
}

/** `0-4, 7` */
function describeRanges(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}

function describeProblem(issue: Issue, where: string, expected: readonly string[]): string {
  const at = (text: string) => `"${where}" ${text}`
  const isRoot = issue.path.length === 0
  switch (issue.code) {
    case 'unrecognized_keys':
      return isRoot ? describeUnknown(issue.keys, expected) : at(`has unknown keys: ${listUnknown(issue.keys)}.`)
    case 'invalid_value':
      return at(describeAllowed(issue))
    case 'invalid_type':
      if (isRoot) return `The arguments must be one JSON object with: ${listNames(expected)}.`
      return at(issue.input === undefined ? 'is required.' : `must be ${withArticle(issue.expected)}.`)
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

function describeUnknown(names: readonly string[], expected: readonly string[]): string {
  const list = listUnknown(names, (name) => quote(name))
  return `Unknown argument${names.length > 1 ? 's' : ''} ${list}. Expected arguments: ${listNames(expected)}.`
}

/** The first unknown names, and how many there are besides. */
function listUnknown(names: readonly string[], show = (name: string) => name): string {
  const more = names.length - maxUnknownNames
  const listed = names.slice(0, maxUnknownNames).map((name) => show(truncate(name, maxQuoted)))
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The allowed values, and the message of the schema if it has one. */
function describeAllowed({ values, input, message }: Extract<Issue, { code: 'invalid_value' }>): string {
  const list = values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(' or ')
  if (input === undefined) return `is required: ${list}.`
  const more = /^Invalid (?:input|option)\b/.test(message) ? '' : ` ${message}.`
  return `must be ${list}, not ${describeValue(input)}.${more}`
}

/** The bound, unless the schema has its own message. */
function describeBound(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): string {
  if (!/^Too (?:big|small)\b/.test(issue.message)) return `${uncapitalize(issue.message)}.`
  const isInclusive = issue.inclusive !== false
  const isTooBig = issue.code === 'too_big'
  const bound = Number(isTooBig ? issue.maximum : issue.minimum)
  const { input } = issue
  const side = isTooBig ? (isInclusive ? 'at most' : 'less than') : isInclusive ? 'at least' : 'more than'
  if (typeof input !== 'string' && !Array.isArray(input)) return `must be ${side} ${bound}, not ${describeValue(input)}.`
  if (issue.code === 'too_small' && bound === 1) return 'must not be empty.'
  const unit = typeof input === 'string' ? 'character' : 'item'
  return `must have ${issue.exact === true ? 'exactly' : side} ${bound} ${unit}${bound === 1 ? '' : 's'}, not ${input.length}.`
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
  if (type === 'array') return 'a list'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** A value for a message. A text is cut first, because it may be millions of characters long. */
function describeValue(value: unknown): string {
  return typeof value === 'string' ? quote(truncate(value, maxQuoted)) : truncate(JSON.stringify(value), maxQuoted - 1)
}
