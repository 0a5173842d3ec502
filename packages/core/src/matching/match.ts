import { combineErrors, isArgumentError } from '../error-collector.ts'
import type { ToolError } from '../errors.ts'
import { spellingsOf } from '../printable.ts'
import { type Candidate, findExact, type MatchedBy, type MatchOptions } from './candidates.ts'
import { createNormalizer } from './normalize.ts'
import { autoAccept, rank, type Ranked } from './rank.ts'
import { ambiguousReference, referenceNotFound } from './report.ts'

/** What a reference was resolved to; `confidence` is in [0, 1], and 1 for everything exact. */
export interface Match<C extends Candidate> {
  readonly candidate: C
  readonly matchedBy: MatchedBy
  readonly confidence: number
}

/**
 * The one candidate that a reference means. Throws `NotFound` with the closest names, or `Ambiguous` with all that match equally. A near
 * miss is accepted only with `autoAccept`, and only when nothing else is close.
 */
export function findMatch<C extends Candidate>(
  reference: string,
  candidates: readonly C[],
  options: MatchOptions,
  normalize = createNormalizer(),
): Match<C> {
  // The same candidate may come from two lists; it is not ambiguous.
  const known = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
  const { isPreferred, ineligible } = options
  // The first spelling that matches; the others are only what we printed for a name.
  const [exact] = spellingsOf(reference).flatMap(
    (spelling) => (isPreferred && findExact(spelling, known.filter(isPreferred))) ?? findExact(spelling, known) ?? [],
  )
  if (exact) {
    const [candidate, ...others] = exact.matches
    const { matchedBy, confidence } = exact.rank
    if (candidate && (others.length === 0 || options.allowTies === true)) return { candidate, matchedBy, confidence }
    throw ambiguousReference(reference, exact, options)
  }
  const miss = { reference, candidates: known, ranked: rankByName(reference, known, normalize) }
  const [excluded] = (ineligible && findExact(reference, ineligible.candidates))?.matches ?? []
  if (ineligible && excluded) throw referenceNotFound(miss, { ...options, notFound: ineligible.explain(excluded) })
  // One letter makes another address, so an address is only ever suggested.
  const accepted = options.autoAccept && !reference.includes('@') ? autoAccept(reference, miss.ranked) : undefined
  const candidate = accepted && known[accepted.index]
  if (candidate) return { candidate, matchedBy: 'fuzzy', confidence: accepted.confidence }
  throw referenceNotFound(miss, options)
}

/** Candidates by likeness to a reference, each once, by whichever of its names is closer. */
function rankByName(reference: string, candidates: readonly Candidate[], normalize: ReturnType<typeof createNormalizer>): Ranked[] {
  if (reference.trim() === '') return []
  const isAddress = reference.includes('@')
  const texts = candidates.flatMap(({ name, shortName, email }, index) =>
    (isAddress ? [email ?? name] : [name, ...(shortName === undefined ? [] : [shortName])]).map((text) => ({ text, index })),
  )
  const ranked = rank(
    reference,
    texts.map(({ text }) => text),
    normalize,
  ).map((each) => ({ ...each, index: texts[each.index]?.index ?? 0 }))
  const seen = new Set<number>()
  return ranked.filter(({ index }) => !seen.has(index) && seen.add(index))
}

/**
 * The candidates that a list of references means, in the order of the list. All that fail are reported together; the proposed change
 * is the whole list with the plausible fixes in it.
 */
export function findMatches<C extends Candidate>(
  references: readonly string[],
  candidates: readonly C[],
  options: MatchOptions,
): Match<C>[] {
  const normalize = createNormalizer()
  const failures = new Map<string, ToolError>()
  const matches = references.flatMap((reference) => {
    try {
      return [findMatch(reference, candidates, options, normalize)]
    } catch (error) {
      if (!isArgumentError(error)) throw error
      failures.set(reference, error)
      return []
    }
  })
  const { parameter } = options
  const findFix = (reference: string) => failures.get(reference)?.details.next?.change?.[parameter]
  const hasFix = references.some((reference) => findFix(reference) !== undefined)
  const change = hasFix ? { [parameter]: references.map((reference) => findFix(reference) ?? reference) } : {}
  if (failures.size > 0) throw combineErrors([...failures.values()], change)
  return matches
}
