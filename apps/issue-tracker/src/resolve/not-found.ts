import {
  type ErrorDetails,
  Message,
  NotFound,
  quote,
  sentence,
  type Suggestion,
  throwCombined,
  ToolError,
  truncate,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { rank } from '@mcp-toolkits/core/references'
import type { Effect } from '@mcp-toolkits/core/tool'
import type { LinearCall } from '../linear/client.ts'
import { ownComments } from '../linear/issues/comments.ts'
import { cyclesAtPosition } from '../linear/teams.ts'
import { issueByIdentifier, issuesLike } from '../linear/issues/issues.ts'
import { projectSuggestions } from '../linear/projects.ts'
import { issuesIn } from './several.ts'
import { issueFilter, issueId, issueIdentifier, isUuid, normalize, projectId } from '../linear/references.ts'

/** A reference that Linear itself looks up, and the way to find its record. */
interface DirectReference {
  readonly kind: string
  readonly reference: string
  /** The tool that lists things of this kind, by its canonical name. */
  readonly listTool: string
  /** The tool's arguments; `unknown` if this call does not contain them. */
  readonly arguments?: Readonly<Record<string, unknown>> | 'unknown'
}

/** Filler words to drop before searching for an issue. */
const fillers = /(?:\b(?:the|an?|that|this|my|our|about|with|issue|ticket|one)\b|[^\p{L}\p{N}'’-])+/giu

export function issueRef(reference: string): DirectReference {
  const keywords = (/\d/.test(reference) && !/\s/.test(reference)) || issuesIn(reference) ? '' : reference.replace(fillers, ' ').trim()
  return { kind: 'issue', reference, listTool: 'IssueTracker.ListIssues', arguments: keywords === '' ? 'unknown' : { keywords } }
}

export const projectRef = (reference: string): DirectReference => ({ kind: 'project', reference, listTool: 'IssueTracker.ListProjects' })
export const initiativeRef = (reference: string): DirectReference => ({
  kind: 'initiative',
  reference,
  listTool: 'IssueTracker.ListInitiatives',
})
export const cycleRef = (reference: string): DirectReference => ({ kind: 'cycle', reference, listTool: 'IssueTracker.ListCycles' })

/** A comment, and its issue if known. */
export const commentRef = (reference: string, issue?: string): DirectReference => ({
  kind: 'comment',
  reference,
  listTool: 'IssueTracker.ListComments',
  arguments: issue === undefined ? 'unknown' : { issue },
})

/** Replaces Linear's "not found" error, which mentions neither the reference nor a next step. */
export async function withNotFoundHint<Data>(reference: DirectReference, lookup: Promise<Data>): Promise<Data> {
  try {
    return await lookup
  } catch (error) {
    throw error instanceof NotFound ? notFound(reference) : error
  }
}

/** Error for a reference that Linear itself looks up. Suggestions are added if the call ends with this error. */
export class ReferenceNotFound extends NotFound {
  readonly reference: DirectReference

  constructor(reference: DirectReference, advice?: Advice) {
    super(...missing(reference, advice))
    this.reference = reference
  }
}

interface Advice {
  readonly parameter?: string | undefined
  /** Additional advice for the caller. */
  readonly more?: string
}

function missing(
  { kind, reference, listTool: tool, arguments: args }: DirectReference,
  { parameter, more = '' }: Advice = {},
): readonly [Message, ErrorDetails] {
  const issues = kind === 'issue' ? issuesIn(reference) : undefined
  if (issues) {
    const batch = sentence`To change several at once, use ${{ tool: 'IssueTracker.BatchUpdateIssues' }}.`
    const fault = `${quote(reference, 80)} names ${issues.length} issues, and ${parameter ?? 'this call'} takes one. Make one call for each.`
    return [Message.of(fault, batch, more), {}]
  }
  const where = parameter === undefined ? '' : ` (${parameter})`
  const message = Message.of(`No ${kind} ${quote(reference, 80)}${where}.`, sentence`Search with ${{ tool }}.`, more)
  return [message, { ...(args !== 'unknown' && { next: { tool, ...(args && { arguments: args }) } }) }]
}

/** Error for a reference without a match. `parameter` is for calls in which several references could be wrong. */
export function notFound(reference: DirectReference, parameter?: string): NotFound {
  return new ReferenceNotFound(reference, { parameter })
}

/** Like `notFound`, but without suggestions, for a call that has no request left for them. */
export function notFoundAlone(reference: DirectReference, parameter: string): NotFound {
  return new NotFound(...missing(reference, { parameter }))
}

/**
 * Returns arguments for retrying a failed call, with the id of an issue that Linear finds by a filter but not by its identifier. Otherwise,
 * returns the error with suggestions. Takes up to two more requests. A write that is refused this way has changed nothing.
 */
export async function findMissingIssue<Args extends object>(
  linear: LinearCall,
  args: Args,
  { error, effect }: { readonly error: unknown; readonly effect: Effect },
): Promise<{ readonly args: Args } | { readonly error: unknown }> {
  const suggested = await withSuggestions(linear, error, args, effect)
  const exact = error instanceof ReferenceNotFound && suggested instanceof NotFound ? exactSuggestion(error, suggested) : undefined
  if (exact?.id === undefined || exact.parameter === undefined) return { error: suggested }
  return { args: { ...args, [exact.parameter]: exact.id } }
}

function exactSuggestion({ reference }: ReferenceNotFound, { details }: NotFound): Suggestion | undefined {
  const isIdentifier = reference.kind === 'issue' && issueIdentifier.test(reference.reference)
  return isIdentifier ? details.suggestions?.find(({ value }) => value.toLowerCase() === reference.reference.toLowerCase()) : undefined
}

/**
 * Adds the possible meanings of a reference to its error, with one or two more requests. A record that Linear found under a different
 * identifier is only suggested, because identifiers are too short to distinguish a typo from a different issue. The only issue with the
 * title is proposed; in a read, also the only one with the number.
 */
async function withSuggestions(linear: LinearCall, error: unknown, args: object, effect?: Effect): Promise<unknown> {
  if (!(error instanceof ReferenceNotFound)) return error
  const { reference, kind } = error.reference
  const [parameter] = Object.entries(args).find(([, value]) => typeof value === 'string' && mentions(value, reference)) ?? []
  const found = await suggestionsFor(linear, kind, reference).catch(() => [])
  if (found.length === 0) return kind === 'issue' ? withProject(linear, error, effect) : error
  const suggestions = found.slice(0, maxSuggestions).map((each) => ({ ...each, ...(parameter !== undefined && { parameter }) }))
  const names = suggestions.map(({ value }) => quote(value, 80)).join(', ')
  const isNumber = effect === 'read' && suggestions.length === 1 && /^#?\d+$/.test(reference)
  const [exact, ...more] = kind === 'issue' ? suggestions.filter(({ confidence }) => isNumber || confidence === exactTitle) : []
  const next = exact && more.length === 0 && parameter !== undefined && { change: { [parameter]: exact.value } }
  return withDetails(error, error.text.and(`Candidates: ${names}.`), { ...error.details, suggestions, ...(next && { next }) })
}

/** Names the tool for projects if a reference to an issue is the name of a project. */
async function withProject(linear: LinearCall, error: ReferenceNotFound, effect?: Effect): Promise<NotFound> {
  const { reference } = error.reference
  if (
    reference.length > maxTitle ||
    !/\p{L}{2}/u.test(reference) ||
    isUuid(reference) ||
    issueIdentifier.test(reference) ||
    issuesIn(reference)
  )
    return error
  const found = await suggestionsFor(linear, 'project', reference).catch(() => [])
  if ((found[0]?.confidence ?? 0) < sameName) return error
  const fault = `${quote(reference, 80)} is a project, not an issue.`
  if (effect === 'update') return new NotFound(Message.of(fault, sentence`To change it, use ${{ tool: 'IssueTracker.UpdateProject' }}.`))
  const archive = { tool: 'IssueTracker.ArchiveProject', arguments: { project: reference } }
  const read = { tool: 'IssueTracker.GetProject', arguments: { value: reference, lookup_by: 'name' } }
  const next = effect === 'delete' ? archive : read
  return new NotFound(Message.of(fault, sentence`To ${effect === 'delete' ? 'archive' : 'read'} it, use ${{ tool: next.tool }}.`), { next })
}

/**
 * Throws several errors as one, with suggestions for each; returns if there are no errors. A single error gets its
 * suggestions in `findMissingIssue`.
 */
export async function throwSuggested(linear: LinearCall, errors: readonly ToolError[], args: object): Promise<void> {
  if (errors.length < 2) throwCombined(errors)
  const suggested = await Promise.all(errors.map(async (error) => withSuggestions(linear, error, args)))
  throwCombined(suggested.filter((error) => error instanceof ToolError))
}

const maxSuggestions = 5
const mentions = (text: string, reference: string) => text === reference || issueId(text) === reference || projectId(text) === reference

async function suggestionsFor(linear: LinearCall, kind: string, reference: string): Promise<readonly Suggestion[]> {
  if (kind === 'issue') return similarIssues(linear, reference)
  if (kind === 'comment') {
    const { comments } = await linear.send(ownComments, {})
    return comments.map(({ id, body }) => ({ value: truncate(body, 60), id, confidence: 0.5 }))
  }
  if (kind === 'cycle') {
    const { cycles } = await linear.send(cyclesAtPosition, { filter: { isActive: { eq: true } } })
    return cycles.map(({ id, number, name, team }) => ({ value: `${name ?? `Cycle ${number}`} (${team.key})`, id, confidence: 0.5 }))
  }
  const name = reference.replace(/-?[0-9a-f]{12}$/i, '').replaceAll('-', ' ')
  if (kind !== 'project' || isUuid(reference) || name === '') return []
  const { projects = [] } = await linear.send(projectSuggestions, { projects: true, archived: true, teams: false, people: false })
  const ranked = rank(
    name,
    projects.map((project) => project.name),
  ).filter(({ confidence }) => confidence > 0.55)
  return ranked.map(({ value, index, confidence }) => ({ value, id: projects[index]?.id ?? value, confidence }))
}

/**
 * Issues in other teams with the identifier's number, the team with the most similar key first; or issues with the text in their titles.
 */
async function similarIssues(linear: LinearCall, reference: string): Promise<readonly Suggestion[]> {
  const digits = reference.replace(/(?<=^[a-z]{1,7}-)(?=\D*\d)[\dlio]+$/i, (end) => end.replace(/[li]/gi, '1').replace(/o/gi, '0'))
  const [, key = '', number] = /^#?([a-z][a-z0-9]*)?[-_ ]?(\d{1,9})$/i.exec(digits) ?? []
  if (isUuid(reference) || reference.length > maxTitle) return []
  const several = issuesIn(reference)
  if (several) {
    const { issues } = await linear.send(issuesLike, { filter: { or: several.map(issueFilter) } })
    return issues.map(({ identifier, id }) => ({ value: identifier, id, confidence: 0.6 }))
  }
  const filter = number === undefined ? { title: { containsIgnoreCase: reference } } : { number: { eq: Number(number) } }
  const { issues } = await linear.send(issuesLike, { filter })
  if (number === undefined)
    return issues.map(({ identifier, id, title }) => {
      return { value: identifier, id, confidence: normalize(title).toLowerCase() === normalize(reference).toLowerCase() ? exactTitle : 0.8 }
    })
  const keys = issues.map(({ identifier }) => identifier.split('-')[0] ?? '')
  return rank(key, keys).map(({ index, confidence }) => ({
    value: issues[index]?.identifier ?? '',
    id: issues[index]?.id ?? '',
    confidence: Math.max(0.5, Math.min(confidence, maxForIdentifier)),
  }))
}

const maxTitle = 200
const exactTitle = 1
/** Minimum confidence of names that differ only in case, accents, spaces or punctuation. */
const sameName = 0.97
const maxForIdentifier = 0.8

/**
 * The issue with a former identifier, which filters do not find; undefined if there is none. Takes one request if the reference could be an
 * identifier.
 */
export async function findMovedIssue(
  linear: LinearCall,
  reference: string,
): Promise<{ readonly id: string; readonly identifier: string } | undefined> {
  const id = issueId(reference)
  if (!/^[a-z][a-z0-9]*-[1-9]\d*$/i.test(id)) return undefined
  try {
    return (await linear.send(issueByIdentifier, { id })).issue
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
