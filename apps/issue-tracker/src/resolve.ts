import { Ambiguous, InvalidInput, NotFound } from '@mcp-toolkits/core'
import { Attempts, findReference, type Candidate } from '@mcp-toolkits/core/matching'
import { candidates } from './linear/candidates.ts'
import type { LinearClient } from './linear/client.ts'

/** The kinds of thing that a tool's argument can name, and what to call them. */
const kinds = { team: 'team', state: 'workflow state', assignee: 'person', label: 'label', project: 'project' } as const
export type ReferenceKind = keyof typeof kinds

/** An argument by which a list is filtered: its parameter and the name given. */
export type NamedFilters = Partial<Readonly<Record<ReferenceKind, string | undefined>>>

/** Kinds of which a name must mean exactly one; a state or a label may be one of each team. */
const unmistakable: readonly ReferenceKind[] = ['team', 'assignee', 'project']

/**
 * Throws `NotFound` with suggestions when a name that a list was filtered by belongs to nothing, and `Ambiguous` when it belongs to
 * several things that must not be mixed up, such as the key of one team and the name of another. `found` holds what the same
 * request found under each name; only a miss costs another request, one for all misses together.
 */
export async function refuseMisses(
  linear: LinearClient,
  { wanted, found }: { readonly wanted: NamedFilters; readonly found: Partial<Record<ReferenceKind, readonly Named[] | undefined>> },
  signal: AbortSignal,
): Promise<void> {
  const attempts = new Attempts()
  for (const { kind, name } of names(wanted)) {
    const several = found[kind] ?? []
    if (unmistakable.includes(kind) && several.length > 1) attempts.attempt(() => refuseSeveral(kind, name, several))
  }
  const missed = names(wanted).filter(({ kind }) => found[kind]?.length === 0)
  if (missed.length === 0) {
    attempts.report()
    return
  }
  const ask = (kind: ReferenceKind) => missed.some((miss) => miss.kind === kind)
  const among = await linear.run(
    candidates,
    { team: ask('team'), state: ask('state'), assignee: ask('assignee'), label: ask('label'), project: ask('project') },
    signal,
  )
  for (const { kind, name } of missed) {
    attempts.attempt(() => {
      const reference = findReference(name, unique((among[kind] ?? []).map(candidateOf)), {
        kind: kinds[kind],
        parameter: kind,
        autoAccept: false,
      })
      // It exists after all, under this spelling or made between the two requests.
      throw new NotFound(`${kinds[kind]} "${name}" is spelt "${reference.match.name}".`, {
        suggestions: [{ value: reference.match.name, id: reference.match.id, confidence: reference.confidence }],
        next: { change: { [kind]: reference.match.name } },
      })
    })
  }
  attempts.report()
}

function refuseSeveral(kind: ReferenceKind, name: string, several: readonly Named[]): never {
  const shown = several.map((each) => `"${each.name}"${each.key === undefined ? '' : ` (${each.key})`}`).join(' and ')
  throw new Ambiguous(`${kind} "${name}" means several: ${shown}. Pass the id of one.`, {
    suggestions: several.map(({ id, name: value }) => ({ value, id, confidence: 1 })),
  })
}

function names(wanted: NamedFilters): { kind: ReferenceKind; name: string }[] {
  const all: readonly ReferenceKind[] = ['team', 'state', 'assignee', 'label', 'project']
  return all.flatMap((kind) => {
    const name = wanted[kind]
    return name === undefined ? [] : [{ kind, name }]
  })
}

interface Named {
  readonly id: string
  readonly name: string
  readonly key?: string
  readonly email?: string
  readonly slug_id?: string
}

function candidateOf({ id, name, key, email, slug_id: slug }: Named): Candidate {
  return { id, name, ...(key !== undefined && { key }), ...(email !== undefined && { email }), ...(slug !== undefined && { slug }) }
}

/** A name that several teams use (a state, a label) is one suggestion. */
function unique(all: readonly Candidate[]): Candidate[] {
  return [...new Map(all.map((candidate) => [candidate.name, candidate])).values()]
}

export interface Lookup<Found extends Named> {
  /** What exactly one column found. */
  readonly exact: readonly Found[]
  /** Everything that a name could mean; for a name only. */
  readonly candidates: readonly Named[]
  readonly wanted: string
  readonly kind: string
  readonly autoAccept: boolean
}

/**
 * The one record that a look-up means, or the id of the one that its name is close enough to. Throws `NotFound` or `Ambiguous` with
 * suggestions.
 */
export function pick<Found extends Named>({
  exact,
  candidates: all,
  wanted,
  kind,
  autoAccept,
}: Lookup<Found>): Found | { readonly closeTo: string } {
  const [only, ...others] = exact
  if (only && others.length === 0) return only
  const among = only ? exact : all
  const { match } = findReference(wanted, among.map(candidateOf), { kind, parameter: 'value', autoAccept })
  return exact.find(({ id }) => id === match.id) ?? { closeTo: match.id }
}

/** An id that is none would be refused by Linear without a word about look-ups. */
export function notAnId(value: string, otherwise: string): InvalidInput {
  const text = `"${value}" is no id (a UUID). To look it up by its ${otherwise}, pass lookup_by "${otherwise}".`
  return new InvalidInput(text, { next: { change: { lookup_by: otherwise } } })
}

/** The only record of a second look-up by an id that was just found. */
export function onlyOne<Found>([only]: readonly Found[]): Found {
  if (only === undefined) throw new NotFound('It was removed while it was looked up. Repeat the call.')
  return only
}

export interface Sought {
  readonly kind: string
  readonly wanted: string
  /** The tool that lists what there is, by its canonical name. */
  readonly listedBy: string
}

/** Rewords Linear's "not found" for a look-up by reference, which names neither the reference nor what to do. */
export async function sought<Data>({ kind, wanted, listedBy }: Sought, lookup: Promise<Data>): Promise<Data> {
  try {
    return await lookup
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    throw new NotFound(`No ${kind} has the reference "${wanted}". ${listedBy} finds it by other means.`, { next: { tool: listedBy } })
  }
}
