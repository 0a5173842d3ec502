import type { Choice, NextStep } from '../../errors/errors.ts'
import type { Message } from '../../errors/message.ts'
import { createNormalizer, foldCase } from './normalize.ts'

/** Something that callers can refer to. `key` is the identifier people write: `ENG`, `ENG-123`. */
export interface Candidate {
  readonly id: string
  readonly name: string
  readonly key?: string | undefined
  readonly email?: string | undefined
  readonly slug?: string | undefined
  /** The name without its group, if `name` is `group/name`; references may use either. */
  readonly shortName?: string | undefined
  /** A type, such as `completed`. A reference may name the candidate by its type if no other candidate has that type. */
  readonly type?: string | undefined
  /** The candidate's owner, such as a label's team. Shown only to distinguish candidates with the same name. */
  readonly parent?: string | undefined
  /** A word shown after the name of a candidate no longer in use: `archived`. */
  readonly ended?: string | undefined
}

export interface MatchOptions {
  /** Noun for the referenced thing, in the singular: `team`. */
  readonly kind: string
  /** The parameter that holds the reference. */
  readonly parameter: string
  /** True if a near miss may be accepted. */
  readonly autoAccept: boolean
  /** The tool that lists the candidates, proposed if no name is close. */
  readonly listTool?: NextStep | undefined
  /** Replaces "No team matches …". */
  readonly notFound?: Explanation | undefined
  /** True if any of several equal matches will do. */
  readonly allowTies?: boolean | undefined
  /** True for a preferred candidate: others count only if no preferred candidate matches. */
  readonly isPreferred?: ((candidate: Candidate) => boolean) | undefined
  readonly ineligible?: IneligibleCandidates | undefined
}

/** The reason why a reference cannot mean something, with a remedy. */
export interface Explanation {
  readonly message: string | Message
  readonly next?: NextStep | undefined
}

/** Candidates that a reference can match but may not refer to. */
export interface IneligibleCandidates {
  readonly candidates: readonly Candidate[]
  /** The reason; `namesake` is the eligible candidate with the same name, if there is one. */
  readonly explain: (candidate: Candidate, namesake?: Candidate) => Explanation
}

export type MatchedBy = 'id' | 'key' | 'email' | 'slug' | 'name' | 'name_ignoring_case' | 'group' | 'type' | 'fuzzy'

/** One way in which a reference can equal a candidate. */
export interface ExactRank {
  readonly matchedBy: Exclude<MatchedBy, 'fuzzy'>
  readonly label: string
  readonly confidence: number
  /** Returns the form of a reference that is compared. */
  readonly formOf: (reference: string) => string
  /** Returns the forms that a reference may equal; undefined for forms that the candidate lacks. */
  readonly formsOf: (candidate: Candidate) => readonly (string | undefined)[]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const foldId = (id: string) => (uuid.test(id) ? id.toLowerCase() : id)
const fold = (text: string | undefined) => (text === undefined ? undefined : foldCase(text))
/** `group: name` and `group → name` are other ways to write `group/name`. */
const foldGroup = (text: string) =>
  foldCase(text)
    .split(/[:→/]/)
    .map((part) => part.trim())
    .join('/')

/** In order of precedence: the first rank with a match decides. */
const exactRanks: readonly ExactRank[] = [
  { matchedBy: 'id', label: 'id', confidence: 1, formOf: (text) => foldId(text.trim()), formsOf: ({ id }) => [foldId(id)] },
  { matchedBy: 'key', label: 'key', confidence: 1, formOf: foldCase, formsOf: ({ key }) => [fold(key)] },
  { matchedBy: 'email', label: 'email address', confidence: 1, formOf: foldCase, formsOf: ({ email }) => [fold(email)] },
  { matchedBy: 'slug', label: 'slug', confidence: 1, formOf: (text) => text.trim(), formsOf: ({ slug }) => [slug] },
  {
    matchedBy: 'name',
    label: 'name',
    confidence: 1,
    formOf: (text) => text.normalize('NFC'),
    formsOf: ({ name, shortName }) => [name.normalize('NFC'), shortName?.normalize('NFC')],
  },
  {
    matchedBy: 'name_ignoring_case',
    label: 'name',
    confidence: 0.99,
    formOf: foldCase,
    formsOf: ({ name, shortName }) => [foldCase(name), fold(shortName)],
  },
  {
    matchedBy: 'group',
    label: 'name',
    confidence: 0.99,
    formOf: foldGroup,
    formsOf: ({ name, shortName }) => [shortName === undefined ? undefined : foldGroup(name)],
  },
  { matchedBy: 'type', label: 'type', confidence: 0.99, formOf: foldCase, formsOf: ({ type }) => [fold(type)] },
]

export interface ExactMatches<C> {
  readonly rank: ExactRank
  readonly matches: readonly C[]
}

/** Candidates for references. Their forms are computed once, no matter how many references are looked up. */
export class CandidateIndex<C extends Candidate> {
  /** The candidates without duplicates, which would make references ambiguous. */
  readonly candidates: readonly C[]
  /** Normalizes references and candidates alike. */
  readonly normalize = createNormalizer()
  readonly #byForm = new Map<ExactRank, ReadonlyMap<string, readonly C[]>>()

  constructor(candidates: readonly C[]) {
    this.candidates = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
  }

  /** Finds the candidates that a reference equals, by the first rank with a match. Ignores candidates for which `counts` returns false. */
  findExact(reference: string, counts: (candidate: C) => boolean = () => true): ExactMatches<C> | undefined {
    if (reference.trim() === '') return undefined
    for (const rank of exactRanks) {
      const matches = (this.#formsOf(rank).get(rank.formOf(reference)) ?? []).filter(counts)
      if (matches.length > 0) return { rank, matches }
    }
    return undefined
  }

  #formsOf(rank: ExactRank): ReadonlyMap<string, readonly C[]> {
    const known = this.#byForm.get(rank)
    if (known) return known
    const byForm = new Map<string, C[]>()
    for (const candidate of this.candidates) {
      for (const form of new Set(rank.formsOf(candidate))) {
        if (form === undefined) continue
        const others = byForm.get(form)
        if (others) others.push(candidate)
        else byForm.set(form, [candidate])
      }
    }
    this.#byForm.set(rank, byForm)
    return byForm
  }
}

/**
 * The choice between candidates that match a reference equally. A label is the name with a detail that distinguishes it from equal names:
 * key, email address, owner and, if that is not enough, the end of the id.
 */
export function createChoice(candidates: readonly Candidate[], reference: Omit<Choice, 'options'>): Choice {
  const options = distinguish(candidates).map(({ id, name, detail }) => ({ id, label: detail === '' ? name : `${name} (${detail})` }))
  return { ...reference, options }
}

/** Candidates, each with a detail that distinguishes it from the others; the detail is empty if the name is enough. */
export function distinguish(candidates: readonly Candidate[]): { readonly id: string; readonly name: string; readonly detail: string }[] {
  const labels = candidates.map(({ name, key, email, parent, ended }) => ({ name, detail: joinDefined([key, email, parent, ended]) }))
  const timesUsed = Map.groupBy(labels, ({ name, detail }) => JSON.stringify([name, detail]))
  const sharedEnds = Map.groupBy(candidates, ({ id }) => endOf(id))
  return candidates.map(({ id, name }, index) => {
    const detail = labels[index]?.detail ?? ''
    const isTaken = (timesUsed.get(JSON.stringify([name, detail]))?.length ?? 0) > 1
    const shortId = endOf(id) === id || (sharedEnds.get(endOf(id))?.length ?? 0) > 1 ? id : `…${endOf(id)}`
    return { id, name, detail: isTaken ? joinDefined([detail === '' ? undefined : detail, shortId]) : detail }
  })
}

function joinDefined(details: readonly (string | undefined)[]): string {
  return details.filter((detail) => detail !== undefined).join(', ')
}

/** The last six characters of an id, which usually distinguish it. */
function endOf(id: string): string {
  return id.slice(-6)
}
