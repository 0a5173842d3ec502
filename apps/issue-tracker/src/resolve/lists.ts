import { Ambiguous, NotFound } from '@mcp-toolkits/core'
import { Attempts, choiceAmong, findReference, type Candidate } from '@mcp-toolkits/core/matching'
import { candidates } from '../linear/candidates.ts'
import type { LinearClient } from '../linear/client.ts'
import { tidy } from '../linear/references.ts'
import { candidate, type Named } from './candidates.ts'

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
  const selfish = found.assignee?.length === 0 ? refusalOfMe(wanted.assignee) : undefined
  if (selfish) attempts.attempt(() => refuse(selfish))
  for (const { kind, name } of names(wanted)) {
    const several = found[kind] ?? []
    if (unmistakable.includes(kind) && several.length > 1) attempts.attempt(() => refuseSeveral(kind, name, several))
  }
  const missed = names(wanted).filter(({ kind }) => found[kind]?.length === 0 && !(kind === 'assignee' && selfish))
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
      const reference = findReference(name, unique((among[kind] ?? []).map(candidate)), {
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

/** A word by which callers mean themselves, where nobody is called so. */
function refusalOfMe(assignee: string | undefined): NotFound | undefined {
  if (assignee === undefined || !['me', 'myself', 'self', 'i'].includes(tidy(assignee).toLowerCase())) return undefined
  return new NotFound(`No person matches "${assignee}". The current user is "@me".`, {
    suggestions: [{ value: '@me', confidence: 1 }],
    next: { change: { assignee: '@me' } },
  })
}

function refuse(error: NotFound): never {
  throw error
}

function refuseSeveral(kind: ReferenceKind, name: string, several: readonly Named[]): never {
  const shown = several.map((each) => `"${each.name}"${each.key === undefined ? '' : ` (${each.key})`}`).join(' and ')
  throw new Ambiguous(`${kind} "${name}" means several: ${shown}. Pass the id of one.`, {
    suggestions: several.map(({ id, name: value }) => ({ value, id, confidence: 1 })),
    choices: [choiceAmong(several.map(candidate), { parameter: kind, given: name, kind: kinds[kind] })],
  })
}

function names(wanted: NamedFilters): { kind: ReferenceKind; name: string }[] {
  const all: readonly ReferenceKind[] = ['team', 'state', 'assignee', 'label', 'project']
  return all.flatMap((kind) => {
    const name = wanted[kind]
    return name === undefined ? [] : [{ kind, name }]
  })
}

/** A name that several teams use (a state, a label) is one suggestion. */
function unique(all: readonly Candidate[]): Candidate[] {
  return [...new Map(all.map((each) => [each.name, each])).values()]
}
