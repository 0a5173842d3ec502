import { Ambiguous, NotFound, type ToolError } from '@mcp-toolkits/core'
import { ErrorCollector, createChoice, findMatch, throwCombined, type Candidate } from '@mcp-toolkits/core/matching'
import { candidates } from '../linear/candidates.ts'
import type { LinearClient } from '../linear/client.ts'
import { quoted } from '../linear/references.ts'
import { candidate, type Nameable } from './candidates.ts'
import { refusalOfMe } from './me.ts'

/** The kinds of thing that a tool's argument can name, and what to call them. */
const kinds = { team: 'team', state: 'workflow state', assignee: 'person', label: 'label', project: 'project' } as const
export type ReferenceKind = keyof typeof kinds
const everyKind: readonly ReferenceKind[] = ['team', 'state', 'assignee', 'label', 'project']

/** An argument by which a list is filtered: its parameter and the name given. */
export type NamedFilters = Partial<Readonly<Record<ReferenceKind, string | undefined>>>

/** What a name was found to mean, and where that has its place. */
export interface Listed extends Nameable, Placed {}

/** Kinds of which a name must mean exactly one; a state or a label may be one of each team. */
const unmistakable: readonly ReferenceKind[] = ['team', 'assignee', 'project']

/**
 * Throws `NotFound` with suggestions when a name that a list was filtered by belongs to nothing, and `Ambiguous` when it belongs to
 * several things that must not be mixed up, such as the key of one team and the name of another. `found` holds what the same
 * request found under each name; only a miss costs another request, one for all misses together.
 */
export async function refuseMisses(
  linear: LinearClient,
  { wanted, found }: { readonly wanted: NamedFilters; readonly found: Partial<Record<ReferenceKind, readonly Listed[] | undefined>> },
  signal: AbortSignal,
): Promise<void> {
  const failures: ToolError[] = []
  const attempts = new ErrorCollector()
  const missed: { readonly kind: ReferenceKind; readonly name: string }[] = []
  for (const kind of everyKind) {
    const name = wanted[kind]
    if (name === undefined) continue
    const several = found[kind] ?? []
    const selfish = kind === 'assignee' && several.length === 0 ? refusalOfMe(kind, name) : undefined
    if (selfish) failures.push(selfish)
    else if (several.length === 0) missed.push({ kind, name })
    else if (several.length > 1 && unmistakable.includes(kind)) failures.push(meansSeveral(kind, name, several))
  }
  if (missed.length > 0) {
    const ask = (kind: ReferenceKind) => missed.some((miss) => miss.kind === kind)
    const flags = { team: ask('team'), state: ask('state'), assignee: ask('assignee'), label: ask('label'), project: ask('project') }
    const among = await linear.run(candidates, flags, signal)
    for (const { kind, name } of missed) attempts.collect(() => refuseMissing(kind, name, unique((among[kind] ?? []).map(candidate))))
  }
  throwCombined([...failures, ...attempts.failures])
}

function refuseMissing(parameter: ReferenceKind, name: string, among: readonly Candidate[]): never {
  const kind = kinds[parameter]
  const { candidate: match, confidence } = findMatch(name, among, { kind, parameter, autoAccept: false })
  // It exists after all, under this spelling or made between the two requests.
  throw new NotFound(`${kind} ${quoted(name)} is spelt "${match.name}".`, {
    suggestions: [{ value: match.name, id: match.id, confidence }],
    next: { change: { [parameter]: match.name } },
  })
}

function meansSeveral(parameter: ReferenceKind, given: string, several: readonly Listed[]): Ambiguous {
  const among = several.map((one) => ({ ...candidate(one), parent: placeOf(one) }))
  const choice = createChoice(among, { parameter, reference: given, kind: kinds[parameter] })
  const shown = choice.options.map(({ label }) => label).join(' and ')
  return new Ambiguous(`${parameter} ${quoted(given)} means several: ${shown}. Pass the id of one.`, {
    suggestions: several.map(({ id, name: value }) => ({ value, id, confidence: 1 })),
    choices: [choice],
  })
}

/** A name that several teams use (a state, a label) is one suggestion. */
function unique(all: readonly Candidate[]): Candidate[] {
  return [...new Map(all.map((each) => [each.name, each])).values()]
}

export interface Placed {
  readonly teams?: readonly { readonly key: string }[] | undefined
  readonly archived_at?: string | null | undefined
}

/** What tells a record from its namesakes: the teams that it is in, and whether it is archived. */
export function placeOf({ teams = [], archived_at: archivedAt }: Placed): string | undefined {
  const details = [...teams.map(({ key }) => key), ...(archivedAt ? ['archived'] : [])]
  return details.length === 0 ? undefined : details.join(', ')
}

/** Said beside an empty list whose team or project is archived. */
export function archivedAmong(found: readonly unknown[], ...named: readonly (readonly Listed[] | undefined)[]): string | undefined {
  const archived = found.length > 0 ? [] : named.flatMap((all = []) => all.filter((one) => one.archived_at))
  return archived.length === 0 ? undefined : `${archived.map(({ name }) => quoted(name)).join(' and ')} is archived.`
}
