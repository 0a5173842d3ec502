import { InvalidInput, NotFound } from '@mcp-toolkits/core'
import type { Candidate } from '@mcp-toolkits/core/matching'
import { quote } from '@mcp-toolkits/core/text'
import type { LinearCall } from '../linear/client.ts'
import { isUuid, listSuggestions, normalize, slugIn } from '../linear/lookups.ts'
import { initiativeResolver } from './initiatives.ts'
import { issueResolver } from './issues.ts'
import { candidate, matchReferences, type NamedRecord, onlyOne, type ReferenceQuery } from './matching.ts'
import { projectResolver } from './projects.ts'

/** Turns the references of a call into ids. */
export type Resolver = ReturnType<typeof createResolver>

export function createResolver(linear: LinearCall) {
  return {
    ...issueResolver(linear),
    ...projectResolver(linear),
    ...initiativeResolver(linear),
    checkFilters: async (filters: ReferenceFilters, found: FoundByFilter) => checkFilters(linear, filters, found),
    lookUp,
  }
}

/** The parameters that filter a list. Several teams can have a state or a label of one name, so these may match several records. */
const filterKinds = {
  team: { kind: 'team', filters: 'one' },
  state: { kind: 'workflow state', filters: 'several' },
  assignee: { kind: 'person', filters: 'one' },
  label: { kind: 'label', filters: 'several' },
  project: { kind: 'project', filters: 'one' },
} as const
type FilterParameter = keyof typeof filterKinds

type ReferenceFilters = Partial<Readonly<Record<FilterParameter, string | undefined>>>
/** What the request for a list found for each of its filters. */
type FoundByFilter = Partial<Readonly<Record<FilterParameter, readonly NamedRecord[] | undefined>>>

/**
 * Throws `NotFound` with suggestions when the filter of a list matches nothing, and `Ambiguous` when it matches several records of a
 * kind that must be unique, such as the key of one team and the name of another. All misses together cost one more request.
 */
async function checkFilters(linear: LinearCall, filters: ReferenceFilters, found: FoundByFilter): Promise<void> {
  const queries = byParameter((parameter): ReferenceQuery => {
    const candidates = (found[parameter] ?? []).map(candidate)
    return { ...filterKinds[parameter], reference: filters[parameter], found: candidates, listTool: undefined }
  })
  await matchReferences(queries, {
    autoAccept: false,
    async suggest(missed) {
      const flags = byParameter((parameter) => missed.has(filterKinds[parameter].kind))
      const all: FoundByFilter = await linear.run(listSuggestions, flags)
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

/** The notice for an empty list whose team or project is archived. */
export function archivedFilterNotice(
  rows: readonly unknown[],
  ...found: readonly (readonly NamedRecord[] | undefined)[]
): string | undefined {
  const archived = rows.length > 0 ? [] : found.flatMap((records = []) => records.filter((record) => record.archived_at))
  return archived.length === 0 ? undefined : `${archived.map(({ name }) => quote(name, 80)).join(' and ')} is archived.`
}

/** A column by which a record can be looked up other than by its id. */
type Column = 'key' | 'slug_id' | 'name'

interface Lookup<Found extends NamedRecord> {
  readonly kind: 'team' | 'project' | 'initiative'
  readonly reference: string
  readonly column: 'id' | 'key' | 'name'
  readonly autoAccept: boolean
  /** Finds records by id or by the column, and all others for suggestions. */
  readonly find: (filter: {
    readonly id?: string
  }) => Promise<{ readonly exact: readonly Found[]; readonly candidates?: readonly NamedRecord[] }>
}

/**
 * The one record that a reference means; with `autoAccept` also one with a similar name, which costs a second request. Throws `NotFound`
 * or `Ambiguous` with suggestions.
 */
async function lookUp<Found extends NamedRecord>(lookup: Lookup<Found>): Promise<Found> {
  const { column, reference, kind, autoAccept, find } = lookup
  const { exact, candidates = [] } = await find({})
  const [only, ...others] = exact
  if (only && others.length === 0) return only
  const found = (only ? exact : candidates).flatMap((record) => candidateIn(record, column))
  const value: ReferenceQuery = { kind, reference, found, listTool: undefined }
  const matches = await matchReferences({ value }, { autoAccept: autoAccept && column === 'name' }).catch((error: unknown) => {
    throw error instanceof NotFound ? (suggestOtherColumn(lookup, candidates) ?? error) : error
  })
  const { id } = onlyOne(matches('value'))
  return exact.find((record) => record.id === id) ?? onlyOne((await find({ id })).exact)
}

/** A record as a candidate for one column. */
function candidateIn(record: NamedRecord, column: 'id' | 'key' | 'name'): Candidate[] {
  const name = column === 'key' ? record.key : record.name
  return name === undefined ? [] : [{ id: record.id, name, parent: candidate(record).parent }]
}

/** The error for a value of another column. */
function suggestOtherColumn({ kind, column, reference }: Lookup<NamedRecord>, candidates: readonly NamedRecord[]): NotFound | undefined {
  const text = normalize(reference)
  if (kind === 'project' && looksLike.slug_id(text)) {
    const next = { change: { lookup_by: 'slug_id' } }
    return new NotFound(`No project has the name ${quote(reference, 80)}. That looks like a slug: pass lookup_by "slug_id".`, { next })
  }
  const other = column === 'key' ? 'name' : 'key'
  if (!candidates.some((record) => record[other]?.toLowerCase() === text.toLowerCase())) return undefined
  return new NotFound(`No ${kind} has the ${column} ${quote(reference, 80)}, but one has that ${other}: pass lookup_by "${other}".`, {
    next: { change: { lookup_by: other } },
  })
}

/** Whether a text looks like a value of a column. Any text can be a name. */
const looksLike: Readonly<Record<Exclude<Column, 'name'>, (text: string) => boolean>> = {
  key: (text) => /^[A-Z][A-Z0-9]{0,6}$/.test(text),
  slug_id: (text) => slugIn(text) !== undefined,
}

/** The column of a value. An id is always looked up as an id, whatever `lookupBy` says. */
export function lookupColumn<Name extends string>(value: string, lookupBy: Name): Name | 'id' {
  return isUuid(value) ? 'id' : lookupBy
}

/** The error for a value that is not an id: Linear would refuse it without mentioning the columns by which it can be looked up. */
export function notAnId(value: string, columns: readonly Column[]): InvalidInput {
  const column = columns.find((each) => each === 'name' || looksLike[each](normalize(value))) ?? 'name'
  const text = `${quote(value, 80)} is not an id (a UUID). To look it up by its ${column}, pass lookup_by "${column}".`
  return new InvalidInput(text, { next: { change: { lookup_by: column } } })
}
