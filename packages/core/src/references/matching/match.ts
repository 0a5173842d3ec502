import { mapInSlices } from '../../base/async.ts'
import { combineErrors, isArgumentError } from '../../errors/error-collector.ts'
import type { ToolError } from '../../errors/errors.ts'
import { spellingsOf } from '../../errors/printable.ts'
import { type Candidate, CandidateIndex, type MatchedBy, type MatchOptions } from './candidates.ts'
import { autoAccept, rank, type Ranked, suggestionThreshold } from './closest-names.ts'
import { ambiguousReference, referenceNotFound } from './report.ts'

/** Candidate that a reference resolved to; `confidence` is in [0, 1], and 1 for an exact match. */
export interface Match<C extends Candidate> {
  readonly candidate: C
  readonly matchedBy: MatchedBy
  readonly confidence: number
}

/**
 * The candidate that a reference means. Throws `NotFound` with the closest names, or `Ambiguous` with all equal matches. A near miss is
 * accepted only with `autoAccept`, and only if nothing else is close.
 */
export function findMatch<C extends Candidate>(reference: string, candidates: readonly C[], options: MatchOptions): Match<C> {
  return findIn(indexesOf(candidates, options), reference, options)
}

/** Returns a predicate for references that equal at least one candidate, so that `findMatch` need not guess. */
export function exactMatcher(candidates: readonly Candidate[]): (reference: string) => boolean {
  const index = new CandidateIndex(candidates)
  return (reference) => spellingsOf(reference).some((spelling) => index.findExact(spelling) !== undefined)
}

interface Indexes<C extends Candidate> {
  readonly known: CandidateIndex<C>
  readonly ineligible: CandidateIndex<Candidate> | undefined
}

function indexesOf<C extends Candidate>(candidates: readonly C[], { ineligible }: MatchOptions): Indexes<C> {
  return { known: new CandidateIndex(candidates), ineligible: ineligible && new CandidateIndex(ineligible.candidates) }
}

function findIn<C extends Candidate>({ known, ineligible }: Indexes<C>, reference: string, options: MatchOptions): Match<C> {
  const { isPreferred } = options
  // The first matching spelling: the reference as given, or with our own escapes undone.
  const [exact] = spellingsOf(reference).flatMap(
    (spelling) => (isPreferred && known.findExact(spelling, isPreferred)) ?? known.findExact(spelling) ?? [],
  )
  if (exact) {
    const [candidate, ...others] = exact.matches
    const { matchedBy, confidence } = exact.rank
    if (candidate && (others.length === 0 || options.allowTies === true)) return { candidate, matchedBy, confidence }
    throw ambiguousReference(reference, exact, options)
  }
  const miss = { reference, known, ranked: rankByName(reference, known) }
  const [excluded] = ineligible?.findExact(reference)?.matches ?? []
  if (excluded) {
    // The caller may mean the eligible candidate with the same name.
    const namesake = known.findExact(excluded.name)?.matches[0]
    const ranked = namesake ? [{ value: namesake.name, index: known.candidates.indexOf(namesake), confidence: 1 }] : miss.ranked
    throw referenceNotFound({ ...miss, ranked }, { ...options, notFound: options.ineligible?.explain(excluded, namesake) })
  }
  // A difference of one letter makes a different address, so addresses are suggested but never accepted.
  const accepted = options.autoAccept && !reference.includes('@') ? autoAccept(reference, miss.ranked) : undefined
  const candidate = accepted && known.candidates[accepted.index]
  if (candidate) return { candidate, matchedBy: 'fuzzy', confidence: accepted.confidence }
  throw referenceNotFound(miss, options)
}

/** The distinct candidates that resemble a reference, most similar first, each ranked by the closer of its names. */
function rankByName(reference: string, { candidates, normalize }: CandidateIndex<Candidate>): Ranked[] {
  // "@robin" is a user name, not an address.
  const isAddress = reference.trim().indexOf('@') > 0
  const texts = candidates.flatMap(({ name, shortName, email }, index) =>
    (isAddress ? [email ?? name] : [name, ...(shortName === undefined ? [] : [shortName])]).map((text) => ({ text, index })),
  )
  const names = texts.map(({ text }) => text)
  const ranked = rank(reference, names, { normalize, minConfidence: suggestionThreshold }).map((each) => ({
    ...each,
    index: texts[each.index]?.index ?? 0,
  }))
  const seen = new Set<number>()
  return ranked.filter(({ index }) => !seen.has(index) && seen.add(index))
}

/**
 * The candidates that the references in a list mean, in order. All failures are reported together; the proposed change is the whole list
 * with plausible fixes applied. Other work may run in the meantime.
 */
export async function findMatches<C extends Candidate>(
  references: readonly string[],
  candidates: readonly C[],
  options: MatchOptions,
): Promise<Match<C>[]> {
  const indexes = indexesOf(candidates, options)
  const failures = new Map<string, ToolError>()
  const find = (reference: string) => {
    try {
      return [findIn(indexes, reference, options)]
    } catch (error) {
      if (!isArgumentError(error)) throw error
      failures.set(reference, error)
      return []
    }
  }
  const matches = await mapInSlices(references, find)
  const { parameter } = options
  const findFix = (reference: string) => failures.get(reference)?.details.next?.change?.[parameter]
  const hasFix = references.some((reference) => findFix(reference) !== undefined)
  const change = hasFix ? { [parameter]: references.map((reference) => findFix(reference) ?? reference) } : {}
  if (failures.size > 0) throw combineErrors([...failures.values()], change)
  return matches.flat()
}
