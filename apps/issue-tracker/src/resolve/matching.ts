import { mapInSlices } from '@mcp-toolkits/core/base'
import {
  Ambiguous,
  ErrorCollector,
  type ErrorDetails,
  type NextStep,
  NotFound,
  quote,
  throwCombined,
  type ToolError,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { type Candidate, createChoice, exactMatcher, type Explanation, findMatch, type MatchOptions } from '@mcp-toolkits/core/references'
import {
  cycleNumberIn,
  cyclePosition,
  documentId,
  emailIn,
  initiativeId,
  milestoneIdIn,
  normalize,
  pageIn,
  projectId,
  readingsOf,
  teamKeyIn,
} from '../linear/references.ts'
import { matchOne, type Matcher, partsOf } from './several.ts'
import { isExclusion, isNobody, isSelfWord, isUndone, plausibleCandidates, type ReferenceKind } from './corrections.ts'

/** Adds a sentence to the notices of a call's result. */
export type Notice = (text: string) => void

type CandidatesByKind = Partial<Readonly<Record<ReferenceKind, readonly Candidate[] | undefined>>>

/** A call parameter that refers to something. */
export interface ReferenceQuery extends Omit<MatchOptions, 'kind' | 'parameter' | 'autoAccept'> {
  readonly kind: ReferenceKind
  /** One reference, or several for a list parameter; undefined if the call omits the parameter. */
  readonly reference: string | readonly string[] | undefined
  /** Records that Linear found for the reference. */
  readonly found: readonly Candidate[]
  /** True if `found` contains every record that could be meant, so no other record can be accepted. */
  readonly isComplete?: boolean
  /** True if similar names are never accepted, because the call writes to the record that the reference names. */
  readonly isExactOnly?: boolean
  /** Error for a reference that means no record, such as "unassigned"; for a state, "not done". */
  readonly noRecord?: Explanation | undefined
  /** Set for a list's filter, for which every match counts: `several` if it may match more than one record. */
  readonly filters?: 'one' | 'several'
}

interface ResolveOptions {
  readonly autoAccept: boolean
  readonly notice: Notice
  /** More candidates for the kinds for which a reference did not match. Called at most once. */
  readonly suggest?: (missed: ReadonlySet<ReferenceKind>) => Promise<CandidatesByKind>
  /** The call's other errors, to report together. */
  readonly failures?: readonly ToolError[]
}

/** The tools that list all records of a kind; no tool lists people. */
const listTools: Readonly<Record<ReferenceKind, NextStep | undefined>> = {
  team: { tool: 'IssueTracker.ListTeams' },
  project: { tool: 'IssueTracker.ListProjects' },
  // The tools that list milestones and documents are in a toolset that may be off.
  milestone: undefined,
  initiative: { tool: 'IssueTracker.ListInitiatives' },
  document: undefined,
  person: undefined,
  label: { tool: 'IssueTracker.ListLabels', arguments: { limit: 100 } },
  cycle: { tool: 'IssueTracker.ListCycles' },
  'workflow state': { tool: 'IssueTracker.ListWorkflowStates' },
}

/**
 * Matches all references in a call and returns the matches by parameter; a parameter that is not set has no matches. Throws one error
 * covering every reference without a match or with several, each with suggestions.
 */
export async function matchReferences<Parameter extends string>(
  queries: Readonly<Record<Parameter, ReferenceQuery>>,
  { autoAccept, notice, suggest, failures = [] }: ResolveOptions,
): Promise<(parameter: Parameter) => readonly Candidate[]> {
  const parameters = keysOf(queries)
  const missing = parameters.filter((parameter) => {
    const query = queries[parameter]
    return isMissed(query) && !(query.isComplete === true && isAcceptable(query, { parameter, autoAccept }))
  })
  const missed = new Set(missing.map((parameter) => queries[parameter].kind))
  const suggestions = missed.size > 0 ? await suggest?.(missed) : undefined
  const collector = new ErrorCollector()
  const matches = new Map<Parameter, () => readonly Candidate[]>()
  for (const parameter of parameters) {
    const context = { parameter, autoAccept, notice, suggestions: suggestions?.[queries[parameter].kind] ?? [] }
    matches.set(parameter, await collector.collectAsync(match(queries[parameter], context)))
  }
  throwCombined([...failures, ...collector.failures])
  return (parameter) => matches.get(parameter)?.() ?? []
}

/** True if one of the query's references was not found, so suggestions are needed. */
function isMissed({ reference = [], kind, found, filters }: ReferenceQuery): boolean {
  const references = (typeof reference === 'string' ? [reference] : reference).filter((each) => kind !== 'person' || !isSelfWord(each))
  const isExact = exactMatcher(found)
  const isFound = filters === undefined ? (each: string) => formsOf(kind, each).some(({ form }) => isExact(form)) : () => found.length > 0
  return !references.every(isFound)
}

/** True if a query's references match the records found, perhaps only by similarity. */
function isAcceptable(query: ReferenceQuery, options: Pick<MatchContext, 'parameter' | 'autoAccept'>): boolean {
  const matcher = matcherFor(query, query.found, { ...options, notice: () => undefined, suggestions: [] })
  const collector = new ErrorCollector()
  for (const reference of [query.reference ?? []].flat()) collector.collect(() => matcher(reference))
  return collector.failures.length === 0
}

interface MatchContext {
  readonly parameter: string
  readonly autoAccept: boolean
  readonly notice: Notice
  readonly suggestions: readonly Candidate[]
}

async function match(query: ReferenceQuery, context: MatchContext): Promise<readonly Candidate[]> {
  const { reference, found, filters, kind } = query
  const { parameter, suggestions, notice } = context
  if (reference === undefined) return []
  const one = { parameter, kind, isFilter: filters !== undefined }
  if (filters === undefined) {
    const matcher = matcherFor(query, [...found, ...suggestions], context)
    return typeof reference === 'string' ? [matchOne(reference, { ...one, matcher })] : matchEach(reference, parameter, { matcher, notice })
  }
  const text = String(reference)
  if (found.length > 1 && filters === 'one') throw severalMatches(text, parameter, query)
  if (found.length > 0) return found
  // A name that several teams use (for a state or a label) counts as one suggestion.
  const distinct = [...new Map(suggestions.map((each) => [each.name, each])).values()]
  const nearest = matchOne(text, { ...one, matcher: matcherFor(query, distinct, { ...context, autoAccept: false }) })
  // The record exists: it is spelt differently, or is newer than the first request.
  throw new NotFound(`${kind} ${quote(text, 80)} is spelt ${quote(nearest.name)}.`, {
    suggestions: [{ value: nearest.name, id: nearest.id, confidence: 1, parameter }],
    next: { change: { [parameter]: nearest.name } },
  })
}

/** Matches all references in a list. Failures are reported together; the proposed change is the whole corrected list. */
async function matchEach(
  references: readonly string[],
  parameter: string,
  { matcher, notice }: { readonly matcher: Matcher; readonly notice: Notice },
): Promise<readonly Candidate[]> {
  const attempts = await mapInSlices([...references], (reference) => {
    const collector = new ErrorCollector()
    const get = collector.collect(() => matcher(reference))
    const [failure] = collector.failures
    return {
      get,
      failure,
      reference,
      fix: failure && ((reference.includes(',') ? partsOf(reference, matcher) : undefined) ?? failure.details.next?.change?.[parameter]),
    }
  })
  const change = { [parameter]: attempts.flatMap(({ reference, fix }) => fix ?? reference) }
  const hasFix = attempts.some(({ fix }) => fix !== undefined)
  throwCombined(
    attempts.flatMap(({ failure }) => {
      if (!failure) return []
      return [hasFix ? withDetails(failure, failure.text, { ...failure.details, next: { change } }) : failure]
    }),
  )
  const found = attempts.map(({ get }) => get())
  const repeated = found.filter(({ id }, index) => found.findIndex((each) => each.id === id) < index)
  for (const { name } of repeated) notice(`${quote(name, 80)} is in ${parameter} more than once; it counts once.`)
  return found
}

/** One form of a reference to compare with candidates, and the reading that it comes from. */
interface Form {
  readonly form: string
  readonly reading: string
}

/**
 * Forms to compare with candidates, in order of precedence: each reading, then the part of it that names the record, such as the slug in a
 * URL.
 */
function formsOf(kind: ReferenceKind, reference: string): readonly Form[] {
  return readingsOf(reference).flatMap((reading) => {
    const forms: Readonly<Record<ReferenceKind, readonly (string | undefined)[]>> = {
      team: [teamKeyIn(reading)],
      project: [projectId(reading)],
      milestone: [milestoneIdIn(reading)],
      initiative: [initiativeId(reading)],
      document: [documentId(reading)],
      person: [emailIn(reading), pageIn(reading)?.kind === 'profiles' ? pageIn(reading)?.reference : undefined],
      label: [],
      cycle: [cycleNumberIn(reading), cyclePosition(reading)],
      'workflow state': [],
    }
    const present = [reading, ...forms[kind]].filter((form) => form !== undefined)
    // "active" is another word for the current cycle.
    const isOtherWord = (form: string) => kind === 'cycle' && form === cyclePosition(reading) && form !== reading.toLowerCase()
    return [...new Set(present)].map((form) => ({ form, reading: isOtherWord(form) ? form : reading }))
  })
}

/** The notice for a reference that was not read as written; undefined if it was. */
export function readingNotice(
  kind: ReferenceKind,
  reference: string,
  { parameter, found }: { readonly parameter: string; readonly found: Candidate },
): string | undefined {
  const isExact = exactMatcher([found])
  const read = formsOf(kind, reference).find(({ form }) => isExact(form))
  return read && read.reading !== normalize(reference)
    ? `${quote(reference, 80)} (${parameter}) was read as ${quote(found.name, 80)}.`
    : undefined
}

/** Finds the candidate that a reference means. A candidate that exists exactly as written always comes first. */
function matcherFor(query: ReferenceQuery, candidates: readonly Candidate[], { parameter, autoAccept, notice }: MatchContext): Matcher {
  const { kind, ineligible, listTool = listTools[kind] } = query
  const options = { ...query, listTool, parameter, autoAccept: autoAccept && query.isExactOnly !== true }
  const isExact = exactMatcher(candidates)
  const isExcluded = exactMatcher(ineligible?.candidates ?? [])
  return (reference) => {
    const forms = formsOf(kind, reference)
    const read = forms.find(({ form }) => isExact(form)) ?? forms.find(({ form }) => isExcluded(form))
    const written = read && read.form !== normalize(reference) ? read.form : reference
    try {
      const { candidate, matchedBy, confidence } = findMatch(written, candidates, options)
      const text =
        matchedBy === 'fuzzy'
          ? `${quote(reference, 80)} (${parameter}) was taken to mean ${quote(candidate.name, 80)} (${Math.round(confidence * 100)}% similar).`
          : readingNotice(kind, reference, { parameter, found: candidate })
      if (text !== undefined) notice(text)
      return candidate
    } catch (error) {
      if (error instanceof Ambiguous && written !== reference) throw withReference(error, reference)
      if (read || !(error instanceof NotFound)) throw error
      if (kind === 'person' && isSelfWord(reference)) throw meantCaller(reference, parameter)
      if (query.noRecord && (kind === 'workflow state' ? isUndone : isNobody)(reference))
        throw new NotFound(query.noRecord.message, query.noRecord.next ? { next: query.noRecord.next } : {})
      throw withCorrection(error, reference, { query, parameter, candidates })
    }
  }
}

/** The error with the caller's own text in its choices, because the choices are compared with the arguments. */
function withReference(error: Ambiguous, reference: string): ToolError {
  const { choices = [], ...details } = error.details
  return withDetails(error, error.text, { ...details, choices: choices.map((choice) => ({ ...choice, reference })) })
}

interface MissContext {
  readonly query: ReferenceQuery
  readonly parameter: string
  readonly candidates: readonly Candidate[]
}

/** Confidence above which another suggestion competes with a correction. */
const rivalAbove = 0.87
/** Confidence in a correction: more than in a similar name, less than in an exact one. */
const corrected = 0.9
/** Confidence in each of several corrections, at most one of which is right. */
const oneOfSeveral = 0.6

/**
 * Adds the plausible meanings of an unmatched reference to its error, instead of less similar names. A meaning without a rival becomes
 * `next`.
 */
function withCorrection(error: NotFound, reference: string, { query, parameter, candidates }: MissContext): ToolError {
  const distinct = [...new Map(candidates.map((each) => [each.id, each])).values()]
  const { suggestions = [], next, ...kept } = error.details
  const meant = plausibleCandidates(query.kind, reference, distinct)
  const [only, ...others] = meant
  if (isExclusion(reference)) return withoutExclusion(error, query.kind)
  if (only === undefined) return error
  const rest = suggestions.filter(({ id, confidence }) => confidence > oneOfSeveral && !meant.some((each) => each.id === id))
  const isAlone = others.length === 0 && !rest.some(({ confidence }) => confidence > rivalAbove)
  const isUnique = distinct.filter(({ name }) => name.toLowerCase() === only.name.toLowerCase()).length === 1
  const change = { change: { [parameter]: isUnique ? only.name : only.id } }
  const step = isAlone ? change : (query.listTool ?? (next?.change ? undefined : next) ?? listTools[query.kind])
  const confidence = others.length === 0 ? corrected : oneOfSeveral
  const details: ErrorDetails = {
    ...kept,
    suggestions: [...meant.map(({ id, name }) => ({ value: name, id, confidence, parameter })), ...rest].slice(0, maxSuggestions),
    ...(step && { next: step }),
  }
  const isUnnamed = meant.some(({ id }) => !suggestions.some((each) => each.id === id))
  const names = new Set(meant.slice(0, maxSuggestions).map(({ name }) => quote(name, 80)))
  const hint = isUnnamed ? `It may mean ${[...names].join(' or ')}.` : ''
  return withDetails(error, error.text.and(hint), details)
}

const maxSuggestions = 8

/** Says that a name cannot exclude anything. For people, the next step is removed: listing a team does not help to exclude someone. */
function withoutExclusion(error: NotFound, kind: ReferenceKind): ToolError {
  const { next, ...details } = error.details
  const text = error.text.and('A name cannot exclude anything: name what you want, or list everything and ignore the rest.')
  return withDetails(error, text, { ...details, ...(next && kind !== 'person' && { next }) })
}

function severalMatches(reference: string, parameter: string, { kind, found }: ReferenceQuery): Ambiguous {
  const choice = createChoice(found, { parameter, reference, kind })
  const labels = choice.options.map(({ label }) => label).join(' and ')
  return new Ambiguous(`${parameter} ${quote(reference, 80)} matches several: ${labels}. Pass the id of one.`, {
    suggestions: found.map(({ id, name }) => ({ value: name, id, confidence: 1, parameter })),
    choices: [choice],
  })
}

/** True if a reference to a person is the word that means the caller. */
export function isMe(reference: string | undefined): boolean {
  return reference?.trim().toLowerCase() === '@me'
}

/** The reason why someone cannot be assigned work: only active people can, and apps cannot. */
export function unassignable({ name, active }: { readonly name: string; readonly active: boolean }): string {
  return active
    ? `${quote(name)} is an app, and only people can be assigned work.`
    : `${quote(name)} is deactivated; name an active person.`
}

function meantCaller(reference: string, parameter: string): NotFound {
  return new NotFound(`No person matches ${quote(reference, 80)} (${parameter}). The current user is "@me".`, {
    suggestions: [{ value: '@me', confidence: 1, parameter }],
    next: { change: { [parameter]: '@me' } },
  })
}

/** A record of any kind, from a list or a lookup. */
export interface NamedRecord {
  readonly id: string
  readonly name: string
  readonly key?: string
  /** Unique in a workspace, unlike a person's name. */
  readonly display_name?: string | undefined
  readonly email?: string | undefined
  readonly slug_id?: string
  readonly type?: string | undefined
  /** A sub-team's parent, or a label's group, which is part of a suggestion because two groups can have labels with the same name. */
  readonly parent?: { readonly name: string } | null | undefined
  readonly teams?: readonly { readonly key: string }[] | undefined
  readonly archived_at?: string | null | undefined
  readonly retired_at?: string | null | undefined
  readonly trashed?: boolean | undefined
  readonly completed_at?: string | null | undefined
  readonly canceled_at?: string | null | undefined
}

/** A record as a candidate. */
export function candidate(record: NamedRecord): Candidate {
  const { id, name, key, display_name: displayName, email, slug_id: slug, type, parent } = record
  const isGrouped = parent && key === undefined
  const names = isGrouped ? { name: `${parent.name}/${name}`, shortName: name } : { name }
  return { id, ...names, key: key ?? displayName, email, slug, type, parent: ownerOf(record), ended: endOf(record) }
}

/** A project's teams, or a sub-team's parent. */
function ownerOf({ key, parent, teams = [] }: NamedRecord): string | undefined {
  if (parent && key !== undefined) return `part of ${parent.name}`
  return teams.length === 0 ? undefined : teams.map((team) => team.key).join(', ')
}

/** One word for why a record is no longer in use. */
export function endOf({ trashed, ...record }: NamedRecord): string | undefined {
  if (trashed === true) return 'trashed'
  if (record.archived_at) return 'archived'
  if (record.retired_at) return 'retired'
  return record.completed_at ? 'completed' : record.canceled_at ? 'canceled' : undefined
}

interface CycleRecord {
  readonly id: string
  readonly name?: string | null | undefined
  readonly number: number
  readonly is_active: boolean
  readonly is_next: boolean
}

/** A cycle as a candidate, by its number and position; many cycles have no name. */
export function cycleCandidate({ id, name, number, is_active: isActive, is_next: isNext }: CycleRecord): Candidate {
  return { id, name: name ?? `Cycle ${number}`, key: String(number), type: isActive ? 'current' : isNext ? 'next' : undefined }
}

/** The only record found by an id that existed a moment ago. */
export function onlyOne<Found>([only]: readonly Found[]): Found {
  if (only === undefined) throw new NotFound('Something that this call names was deleted while the call ran. Retry the call.')
  return only
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = []
  for (const key in record) keys.push(key)
  return keys
}
