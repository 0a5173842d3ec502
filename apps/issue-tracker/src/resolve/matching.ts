import { Ambiguous, type NextStep, NotFound, type ToolError } from '@mcp-toolkits/core'
import {
  type Candidate,
  createChoice,
  ErrorCollector,
  exactMatcher,
  findMatch,
  findMatches,
  type MatchOptions,
  throwCombined,
} from '@mcp-toolkits/core/matching'
import { quote } from '@mcp-toolkits/core/text'
import { normalize } from '../linear/lookups.ts'

export type ReferenceKind = 'team' | 'project' | 'initiative' | 'person' | 'label' | 'cycle' | 'workflow state'
type CandidatesByKind = Partial<Readonly<Record<ReferenceKind, readonly Candidate[] | undefined>>>

/** One parameter of a call that refers to something. */
export interface ReferenceQuery extends Omit<MatchOptions, 'kind' | 'parameter' | 'autoAccept'> {
  readonly kind: ReferenceKind
  /** One reference, or several for a parameter that takes a list; undefined when the call does not have it. */
  readonly reference: string | readonly string[] | undefined
  /** What Linear found for the reference. */
  readonly found: readonly Candidate[]
  /** Set for the filter of a list, where every match counts: whether it may match one record or several. */
  readonly filters?: 'one' | 'several'
}

interface ResolveOptions {
  readonly autoAccept: boolean
  /** Further candidates of the kinds whose references missed. Called at most once. */
  readonly suggest?: (missed: ReadonlySet<ReferenceKind>) => Promise<CandidatesByKind>
  /** Other errors of the call, to report together. */
  readonly failures?: readonly ToolError[]
}

/** The tools that list all records of a kind. */
const listTools: Partial<Readonly<Record<ReferenceKind, NextStep>>> = {
  team: { tool: 'IssueTracker.ListTeams' },
  project: { tool: 'IssueTracker.ListProjects' },
  initiative: { tool: 'IssueTracker.ListInitiatives' },
}

/**
 * Matches all references of a call and returns the matches by parameter: none for a parameter that is not set. Throws one
 * error for every reference that matches nothing or several things, each with suggestions.
 */
export async function matchReferences<Parameter extends string>(
  queries: Readonly<Record<Parameter, ReferenceQuery>>,
  { autoAccept, suggest, failures = [] }: ResolveOptions,
): Promise<(parameter: Parameter) => readonly Candidate[]> {
  const parameters = keysOf(queries)
  const missed = new Set(parameters.filter((parameter) => isMissed(queries[parameter])).map((parameter) => queries[parameter].kind))
  const suggestions = missed.size > 0 ? await suggest?.(missed) : undefined
  const collector = new ErrorCollector()
  const matches = new Map<Parameter, () => readonly Candidate[]>()
  for (const parameter of parameters) {
    const options = { parameter, autoAccept, suggestions: suggestions?.[queries[parameter].kind] ?? [] }
    matches.set(parameter, await collector.collectAsync(match(queries[parameter], options)))
  }
  throwCombined([...failures, ...collector.failures])
  return (parameter) => matches.get(parameter)?.() ?? []
}

/** Whether something that the query refers to was not found, so that suggestions are needed. */
function isMissed({ reference = [], kind, found, filters }: ReferenceQuery): boolean {
  const references = (typeof reference === 'string' ? [reference] : reference).filter((each) => kind !== 'person' || !isSelfWord(each))
  const isFound = filters === undefined ? exactMatcher(found) : () => found.length > 0
  return !references.every(isFound)
}

interface MatchContext {
  readonly parameter: string
  readonly autoAccept: boolean
  readonly suggestions: readonly Candidate[]
}

async function match(query: ReferenceQuery, { parameter, autoAccept, suggestions }: MatchContext): Promise<readonly Candidate[]> {
  const { reference, found, filters, ...rest } = query
  if (reference === undefined) return []
  if (filters === undefined) {
    const options = { listTool: listTools[query.kind], ...rest, parameter, autoAccept }
    const candidates = [...found, ...suggestions]
    if (typeof reference !== 'string') return (await findMatches(reference, candidates, options)).map((found) => found.candidate)
    return [query.kind === 'person' ? findPerson(reference, candidates, options) : findMatch(reference, candidates, options).candidate]
  }
  const text = String(reference)
  if (found.length > 1 && filters === 'one') throw severalMatches(text, parameter, query)
  if (found.length > 0) return found
  // A name that several teams use (a state, a label) is one suggestion.
  const distinct = [...new Map(suggestions.map((each) => [each.name, each])).values()]
  const options = { ...rest, parameter, autoAccept: false }
  const { candidate: nearest, confidence } =
    query.kind === 'person' ? { candidate: findPerson(text, distinct, options), confidence: 1 } : findMatch(text, distinct, options)
  // It exists, with another spelling or since the second request.
  throw new NotFound(`${query.kind} ${quote(text, 80)} is spelt ${quote(nearest.name)}.`, {
    suggestions: [{ value: nearest.name, id: nearest.id, confidence }],
    next: { change: { [parameter]: nearest.name } },
  })
}

function severalMatches(reference: string, parameter: string, { kind, found }: ReferenceQuery): Ambiguous {
  const choice = createChoice(found, { parameter, reference, kind })
  const labels = choice.options.map(({ label }) => label).join(' and ')
  return new Ambiguous(`${parameter} ${quote(reference, 80)} means several: ${labels}. Pass the id of one.`, {
    suggestions: found.map(({ id, name }) => ({ value: name, id, confidence: 1 })),
    choices: [choice],
  })
}

/** Whether a reference to a person means the caller. */
export function isMe(reference: string | undefined): boolean {
  return reference?.trim().toLowerCase() === '@me'
}

/** Whether a reference is a word for oneself other than `@me`. */
function isSelfWord(reference: string): boolean {
  return ['me', 'myself', 'self', 'i'].includes(normalize(reference).toLowerCase())
}

function findPerson(reference: string, candidates: readonly Candidate[], options: MatchOptions): Candidate {
  try {
    return findMatch(reference, candidates, options).candidate
  } catch (error) {
    if (!(error instanceof NotFound) || !isSelfWord(reference)) throw error
    const { parameter } = options
    throw new NotFound(`No person matches ${quote(reference, 80)} (${parameter}). The current user is "@me".`, {
      suggestions: [{ value: '@me', confidence: 1 }],
      next: { change: { [parameter]: '@me' } },
    })
  }
}

/** A record of any kind, from a list or a lookup. */
export interface NamedRecord {
  readonly id: string
  readonly name: string
  readonly key?: string
  /** Unique in a workspace, unlike a person's name. */
  readonly display_name?: string
  readonly email?: string
  readonly slug_id?: string
  readonly type?: string
  /** The group of a label. It is part of a suggestion, because two groups can have labels of one name. */
  readonly parent?: { readonly name: string } | null | undefined
  readonly teams?: readonly { readonly key: string }[] | undefined
  readonly archived_at?: string | null | undefined
}

/** A record as a candidate. */
export function candidate(record: NamedRecord): Candidate {
  const { id, name, key, display_name: displayName, email, slug_id: slug, type, parent } = record
  const names = parent ? { name: `${parent.name}/${name}`, shortName: name } : { name }
  return { id, ...names, key: key ?? displayName, email, slug, type, parent: distinctionOf(record) }
}

/** What distinguishes a record from others of the same name: its teams, and whether it is archived. */
function distinctionOf({ teams = [], archived_at: archivedAt }: NamedRecord): string | undefined {
  const details = [...teams.map(({ key }) => key), ...(archivedAt ? ['archived'] : [])]
  return details.length === 0 ? undefined : details.join(', ')
}

/** A cycle as a candidate, by its number; many have no name. */
export function cycleCandidate({
  id,
  name,
  number,
}: {
  readonly id: string
  readonly name?: string | null | undefined
  readonly number: number
}): Candidate {
  return { id, name: name ?? `Cycle ${number}`, key: String(number) }
}

/** The only record of a lookup by an id that existed a moment ago. */
export function onlyOne<Found>([only]: readonly Found[]): Found {
  if (only === undefined) throw new NotFound('It was removed during the lookup. Repeat the call.')
  return only
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = []
  for (const key in record) keys.push(key)
  return keys
}
