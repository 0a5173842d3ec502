import { InvalidInput, NotFound, quote } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import { cyclesAtPosition } from '../linear/teams.ts'
import { listSuggestions } from '../linear/lookups.ts'
import { cycleFilter, cyclePage, isUuid, normalize, pageIn, plainReading, slugIn, teamFilter } from '../linear/references.ts'
import { initiativeResolver } from './projects/initiatives.ts'
import { issueResolver } from './issues.ts'
import {
  candidate,
  cycleCandidate,
  endOf,
  matchReferences,
  type NamedRecord,
  type Notice,
  onlyOne,
  readingNotice,
  type ReferenceQuery,
} from './matching.ts'
import { projectResolver } from './projects/projects.ts'

/** Turns a call's references into ids. */
export type Resolver = ReturnType<typeof createResolver>

export function createResolver(linear: LinearCall, notice: Notice) {
  const resolution = { linear, notice }
  return {
    ...issueResolver(linear, notice),
    ...projectResolver(linear, notice),
    ...initiativeResolver(linear, notice),
    list: async <Filters extends ReferenceFilters, Page extends FoundByFilter>(
      filters: Filters,
      request: (filters: Filters) => Promise<Page>,
    ) => listFiltered(resolution, filters, request),
    /** A cycle's id. A name, a number, a position or a URL costs one request. */
    async cycle(reference: string): Promise<string> {
      if (isUuid(plainReading(reference))) return plainReading(reference)
      const text = plainReading(reference)
      const onPage = cyclePage(text)
      const [, within, team] = /^(.+) \((.+)\)$/.exec(text) ?? []
      const { cycle: written, team: named } = onPage ?? { cycle: within, team }
      const ofTeam = written === undefined || named === undefined ? [] : [{ and: [{ team: teamFilter(named) }, cycleFilter(written)] }]
      const filter = { or: [...ofTeam, ...(onPage ? [] : [cycleFilter(reference)])] }
      const toCandidates = ({ cycles }: z.output<typeof cyclesAtPosition.data>) =>
        cycles.map((cycle) => ({ ...cycleCandidate(cycle), parent: cycle.team.key }))
      const found = toCandidates(await linear.send(cyclesAtPosition, { filter }))
      const isWhole = found.some(({ name }) => name === text)
      const query: ReferenceQuery = { kind: 'cycle', reference: isWhole || onPage ? reference : (within ?? reference), found }
      const suggest = async () => ({ cycle: toCandidates(await linear.send(cyclesAtPosition, { filter: {} })) })
      const matches = await matchReferences({ cycle_id: query }, { autoAccept: false, notice, suggest })
      const [cycle] = matches('cycle_id')
      if (cycle && !onPage) notice(`${quote(reference, 80)} is not an id; it is ${cycle.name} of team ${cycle.parent}.`)
      return onlyOne(matches('cycle_id')).id
    },
    lookUp: async <Found extends NamedRecord>(lookup: Lookup<Found>) => lookUp(lookup, notice),
  }
}

/** The parameters that filter a list. Several teams can share a state or label name, so these may match several records. */
const filterKinds = {
  team: { kind: 'team', filters: 'one' },
  state: {
    kind: 'workflow state',
    filters: 'several',
    noRecord: {
      message: 'No state can be excluded by name, but "open" means every state that is not closed.',
      next: { change: { state: 'open' } },
    },
  },
  assignee: {
    kind: 'person',
    filters: 'one',
    noRecord: { message: 'No filter finds unassigned issues. Leave "assignee" out and look for issues without one.' },
  },
  label: {
    kind: 'label',
    filters: 'several',
    noRecord: { message: 'No filter finds issues without a label. Leave "label" out and look for issues without one.' },
  },
  project: {
    kind: 'project',
    filters: 'one',
    noRecord: { message: 'No filter finds issues without a project. Leave "project" out and look for issues without one.' },
  },
} as const
type FilterParameter = keyof typeof filterKinds

type ReferenceFilters = Partial<Readonly<Record<FilterParameter, string | undefined>>>
/** A record that a filter matched; a person may be deactivated, or an app. */
type FilterRecord = NamedRecord & { readonly active?: boolean; readonly app?: boolean }
/** Records found by a list's request, by filter. */
type FoundByFilter = Partial<Readonly<Record<FilterParameter, readonly FilterRecord[] | undefined>>>

/**
 * A page of a list. Filters are first read as written; filters without a match are read differently, with one more request. Throws
 * `NotFound` with suggestions if a filter matches nothing, and `Ambiguous` if it matches several records of a kind that must be unique,
 * such as when one team's key is another's name. Suggestions for all filters together take one request.
 */
async function listFiltered<Filters extends ReferenceFilters, Page extends FoundByFilter>(
  { linear, notice }: { readonly linear: LinearCall; readonly notice: Notice },
  filters: Filters,
  request: (filters: Filters) => Promise<Page>,
): Promise<Page> {
  const page = await request(filters)
  const others = parametersOf(filters).flatMap(({ parameter, reference }) => {
    const found = page[parameter] ?? []
    const other = found.length === 0 ? otherReading(reference) : onlyActive(found)
    return other === undefined ? [] : [{ parameter, reference, other }]
  })
  const again =
    others.length === 0
      ? page
      : await request({ ...filters, ...Object.fromEntries(others.map((each) => [each.parameter, each.other.text])) })
  for (const { parameter, reference, other } of others)
    if (again[parameter]?.length === 1 || other.text !== reference)
      notice(`${quote(reference, 80)} (${parameter}) was read as ${other.shown}.`)
  await checkFilters(linear, filters, again)
  return again
}

function parametersOf(filters: ReferenceFilters) {
  return Object.values(byParameter((parameter) => ({ parameter, reference: filters[parameter] }))).flatMap(({ parameter, reference }) =>
    reference === undefined ? [] : [{ parameter, reference }],
  )
}

interface OtherReading {
  readonly text: string
  readonly shown: string
}

/** A filter without its wrappers. */
function otherReading(reference: string): OtherReading | undefined {
  const text = plainReading(reference)
  return text === normalize(reference) ? undefined : { text, shown: quote(text, 80) }
}

/** The only active person with that name. */
function onlyActive(found: readonly FilterRecord[]): OtherReading | undefined {
  const [only, ...others] = found.filter(({ active, app }) => active === true && app !== true)
  return found.length > 1 && only && others.length === 0 ? { text: only.id, shown: `the active person ${quote(only.name, 80)}` } : undefined
}

async function checkFilters(linear: LinearCall, filters: ReferenceFilters, found: FoundByFilter): Promise<void> {
  const queries = byParameter((parameter): ReferenceQuery => {
    const candidates = (found[parameter] ?? []).map(candidate)
    return { ...filterKinds[parameter], reference: filters[parameter], found: candidates }
  })
  await matchReferences(queries, {
    autoAccept: false,
    notice: () => undefined,
    async suggest(missed) {
      const flags = byParameter((parameter) => missed.has(filterKinds[parameter].kind))
      const all: FoundByFilter = await linear.send(listSuggestions, flags)
      return {
        team: all.team?.map(candidate),
        'workflow state': all.state?.map(candidate),
        person: all.assignee?.map(candidate),
        label: all.label?.map(candidate),
        project: all.project?.map(candidate),
      }
    },
  })
}

function byParameter<Value>(value: (parameter: FilterParameter) => Value): Readonly<Record<FilterParameter, Value>> {
  return { team: value('team'), state: value('state'), assignee: value('assignee'), label: value('label'), project: value('project') }
}

/** Notice for an empty list whose team or project is no longer in use. */
export function archivedFilterNotice(
  rows: readonly unknown[],
  ...found: readonly (readonly NamedRecord[] | undefined)[]
): string | undefined {
  const ended = rows.length > 0 ? [] : found.flatMap((records = []) => records.filter(endOf))
  return ended.length === 0 ? undefined : ended.map((record) => `${quote(record.name, 80)} is ${endOf(record) ?? ''}.`).join(' ')
}

/** The column to look up by; `any` if the caller named no column. */
type Column = 'id' | 'key' | 'name' | 'any'

interface Lookup<Found extends NamedRecord> {
  readonly kind: 'team' | 'project' | 'initiative'
  readonly reference: string
  readonly column: Column
  readonly autoAccept: boolean
  /** Finds records by id or by the column, plus all others for suggestions. */
  readonly find: (filter: {
    readonly id?: string
  }) => Promise<{ readonly exact: readonly Found[]; readonly candidates?: readonly NamedRecord[] }>
}

/**
 * The one record that a reference means; or, with `autoAccept`, a similarly named one, which costs a second request. Throws `NotFound` or
 * `Ambiguous` with suggestions.
 */
async function lookUp<Found extends NamedRecord>(lookup: Lookup<Found>, notice: Notice): Promise<Found> {
  const { column, reference, kind, autoAccept, find } = lookup
  const { exact, candidates = [] } = await find({})
  const [only, ...others] = exact
  if (only && others.length === 0) {
    const text = readingNotice(kind, reference, { parameter: 'value', found: candidate(only) }) ?? columnNotice(lookup, only)
    if (text !== undefined) notice(text)
    return only
  }
  const found = (only ? exact : candidates).flatMap((record) => candidateIn(record, column))
  const value: ReferenceQuery = { kind, reference, found }
  const accepts = autoAccept && (column === 'name' || column === 'any')
  const matches = await matchReferences({ value }, { autoAccept: accepts, notice }).catch((error: unknown) => {
    throw error instanceof NotFound ? (suggestOtherColumn(lookup, candidates) ?? error) : error
  })
  const { id } = onlyOne(matches('value'))
  return exact.find((record) => record.id === id) ?? onlyOne((await find({ id })).exact)
}

/** Notice for text looked up by key or name even though `lookup_by` said that it was an id. */
function columnNotice({ column, kind, reference }: Lookup<NamedRecord>, { key }: NamedRecord): string | undefined {
  if (column !== 'any' || pageIn(reference)) return undefined
  const found = key?.toLowerCase() === plainReading(reference).toLowerCase() ? 'key' : 'name'
  return `${quote(reference, 80)} is not an id; the ${kind} was looked up by ${found}.`
}

/** A record as a candidate for one column. */
function candidateIn(record: NamedRecord, column: Column): Candidate[] {
  if (column === 'any') return [candidate(record)]
  const name = column === 'key' ? record.key : record.name
  const { parent, ended } = candidate(record)
  const owners = [record.key, parent].filter((each) => each !== undefined)
  return name === undefined ? [] : [{ id: record.id, name, parent: owners.length === 0 ? undefined : owners.join(', '), ended }]
}

/** The error for a value that belongs to a different column. */
function suggestOtherColumn({ kind, column, reference }: Lookup<NamedRecord>, candidates: readonly NamedRecord[]): NotFound | undefined {
  const text = plainReading(reference)
  if (column === 'any') return undefined
  if (kind === 'project' && slugIn(text) !== undefined) {
    const next = { change: { lookup_by: 'slug_id' } }
    return new NotFound(`No project has the name ${quote(reference, 80)}. It looks like a slug: pass lookup_by "slug_id".`, { next })
  }
  const other = column === 'key' ? 'name' : 'key'
  if (!candidates.some((record) => record[other]?.toLowerCase() === text.toLowerCase())) return undefined
  return new NotFound(`No ${kind} has the ${column} ${quote(reference, 80)}, but one has that ${other}: pass lookup_by "${other}".`, {
    next: { change: { lookup_by: other } },
  })
}

/**
 * The column in which to look up a value. An id is always looked up as an id; for any other value, `lookupBy: 'id'` means any other column.
 */
export function lookupColumn<Name extends string>(value: string, lookupBy: Name): Exclude<Name, 'id'> | 'id' | 'any' {
  if (isUuid(plainReading(value))) return 'id'
  return isOtherColumn(lookupBy) ? lookupBy : 'any'
}

function isOtherColumn<Name extends string>(column: Name): column is Exclude<Name, 'id'> {
  return column !== 'id'
}

/** The error for text that cannot be a slug. */
export function notASlug(value: string): InvalidInput {
  return new InvalidInput(`${quote(value, 80)} is not a slug_id. Pass lookup_by "name".`, { next: { change: { lookup_by: 'name' } } })
}
