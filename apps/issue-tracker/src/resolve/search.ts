import { type NotFound, quote } from '@mcp-toolkits/core/errors'
import type { LinearCall } from '../linear/client.ts'
import { search, type SearchFilters, type SearchPage, searchSuggestions, stateNames } from '../linear/issues/search.ts'
import { issueIdentifier, plainReading } from '../linear/references.ts'
import { stateTypesIn } from '../linear/teams.ts'
import { candidate, cycleCandidate, isMe, matchReferences, type NamedRecord, type Notice, type ReferenceQuery } from './matching.ts'
import { findMovedIssue, issueRef, notFound, notFoundAlone } from './not-found.ts'

type Options = Parameters<typeof search>[2]

/**
 * A page of the issues that match all filters. Takes one request, plus one for suggestions if a name matches nothing, and one if the
 * filters must be read differently. Throws `NotFound` or `Ambiguous` with the suggestions.
 */
export async function searchFor(
  { linear, notice }: { readonly linear: LinearCall; readonly notice: Notice },
  filters: SearchFilters,
  options: Options,
): Promise<SearchPage> {
  const page = await search(linear, filters, options)
  const found = page.states?.map(({ name }) => name) ?? []
  const words = (filters.states ?? []).filter((state) => stateTypesIn(state))
  // A word that is rarely a name counts as one only if a name matches it exactly.
  const isName = (word: string) =>
    stateTypesIn(word)?.isLikelyName === true
      ? found.some((name) => name.toLowerCase() === plainReading(word).toLowerCase())
      : found.includes(plainReading(word))
  const namedStates = words.filter(isName)
  const misread = words.filter((word) => isName(word) !== stateTypesIn(word)?.isLikelyName)
  const { parent_issue: parent } = filters
  const isParentMissing = parent !== undefined && page.parent?.length === 0
  const moved = isParentMissing ? await findMovedIssue(linear, parent) : undefined
  const matches = await matchReferences(queriesOf(filters, page, namedStates), {
    autoAccept: false,
    notice,
    failures: isParentMissing && !moved ? [parentNotFound(parent)] : [],
    suggest: async (missed) => suggestionsFor(linear, missed),
  })
  const refined = onlyKinds.flatMap((kind): [string, string][] => {
    const [match] = matches(kind)
    const [only, ...others] = page[kind] ?? []
    return match && (only?.id !== match.id || others.length > 0) ? [[kind, match.id]] : []
  })
  for (const word of misread)
    notice(
      isName(word)
        ? `${quote(word, 80)} was read as a state's name, not as a word for types.`
        : `No state is called ${quote(word, 80)}; it was read as the type.`,
    )
  if (refined.length === 0 && misread.length === 0 && !moved) return page
  return search(linear, { ...filters, ...Object.fromEntries(refined), ...(moved && { parent_issue: moved.id }), namedStates }, options)
}

/** The error for a parent that does not exist. After the request for a former identifier, no request is left for suggestions. */
function parentNotFound(parent: string): NotFound {
  const error = issueIdentifier.test(parent) ? notFoundAlone : notFound
  return error(issueRef(parent), 'parent_issue')
}

/** Filters that refer to one record each; other kinds may have several records with the same name. */
const onlyKinds = ['team', 'assignee', 'creator', 'project'] as const

function queriesOf(filters: SearchFilters, page: SearchPage, namedStates: readonly string[]) {
  const candidates = (records: readonly NamedRecord[] | undefined) => (records ?? []).map(candidate)
  const person = (reference: string | undefined, people: SearchPage['assignee']): ReferenceQuery => {
    const active = new Set((people ?? []).flatMap(({ id, active, app }) => (active && !app ? [id] : [])))
    return {
      kind: 'person',
      reference: isMe(reference) ? undefined : reference,
      found: candidates(people),
      isPreferred: ({ id }) => active.has(id),
    }
  }
  return {
    team: { kind: 'team', reference: filters.team, found: candidates(page.team) },
    states: { kind: 'workflow state', reference: stateNames(filters.states, namedStates), found: candidates(page.states), allowTies: true },
    assignee: {
      ...person(filters.assignee, page.assignee),
      noRecord: { message: '"unassigned": true finds issues without an assignee.', next: { change: { assignee: null, unassigned: true } } },
    },
    creator: person(filters.creator, page.creator),
    labels: { kind: 'label', reference: filters.labels, found: candidates(page.labels), allowTies: true },
    project: { kind: 'project', reference: filters.project, found: candidates(page.project) },
    milestone: { kind: 'milestone', reference: filters.milestone, found: candidates(page.milestone), allowTies: true },
    cycle: { kind: 'cycle', reference: filters.cycle, found: (page.cycle ?? []).map(cycleCandidate), allowTies: true },
  } satisfies Record<string, ReferenceQuery>
}

async function suggestionsFor(linear: LinearCall, missed: ReadonlySet<ReferenceQuery['kind']>) {
  const all = await linear.send(searchSuggestions, {
    team: missed.has('team'),
    states: missed.has('workflow state'),
    people: missed.has('person'),
    labels: missed.has('label'),
    project: missed.has('project'),
    milestone: missed.has('milestone'),
    cycle: missed.has('cycle'),
  })
  return {
    team: all.team?.map(candidate),
    'workflow state': all.states?.map(candidate),
    person: all.people?.map(candidate),
    label: all.labels?.map(candidate),
    project: all.project?.map(candidate),
    milestone: all.milestone?.map(candidate),
    cycle: all.cycle?.map(cycleCandidate),
  }
}
