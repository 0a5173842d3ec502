import { isReportable, merged } from './attempts.ts'
import { choiceAmong } from './choices.ts'
import { Ambiguous, NotFound, type ToolError } from './errors.ts'
import { autoAccept, rank, type Ranked, standsAlone } from './fuzzy.ts'
import { ignoringCase } from './spelling.ts'

/** Something that a caller may refer to. `key` is the identifier that people write: `ENG`, `ENG-123`. */
export interface Candidate {
  readonly id: string
  readonly name: string
  readonly key?: string | undefined
  readonly email?: string | undefined
  readonly slug?: string | undefined
  /** What it belongs to, as people call it; only told, to tell twins apart: the team of a label. */
  readonly parent?: string | undefined
}

/** Where a reference stands in a call, and whether a near miss may be taken. */
export interface ReferenceOptions {
  /** What is looked for, as a noun in the singular: `team`. */
  readonly kind: string
  /** The parameter that holds the reference. */
  readonly parameter: string
  readonly autoAccept: boolean
}

export type MatchedBy = 'id' | 'key' | 'email' | 'slug' | 'name' | 'name_ignoring_case' | 'fuzzy'

/** What a reference was resolved to; `confidence` is in [0, 1], and 1 for everything exact. */
export interface Reference<C extends Candidate> {
  readonly match: C
  readonly how: MatchedBy
  readonly confidence: number
}

interface ExactRank {
  readonly how: Exclude<MatchedBy, 'fuzzy'>
  readonly noun: string
  readonly confidence: number
  readonly matches: (wanted: string, candidate: Candidate) => boolean
}

const sameIgnoringCase = (wanted: string, text: string | undefined) => text !== undefined && ignoringCase(wanted) === ignoringCase(text)

/** What a reference is compared with, in this order; the first rank with a match decides. */
const exactRanks: readonly ExactRank[] = [
  { how: 'id', noun: 'id', confidence: 1, matches: (wanted, { id }) => wanted.trim() === id },
  { how: 'key', noun: 'key', confidence: 1, matches: (wanted, { key }) => sameIgnoringCase(wanted, key) },
  { how: 'email', noun: 'e-mail address', confidence: 1, matches: (wanted, { email }) => sameIgnoringCase(wanted, email) },
  { how: 'slug', noun: 'slug', confidence: 1, matches: (wanted, { slug }) => wanted.trim() === slug },
  { how: 'name', noun: 'name', confidence: 1, matches: (wanted, { name }) => wanted.normalize('NFC') === name.normalize('NFC') },
  { how: 'name_ignoring_case', noun: 'name', confidence: 0.99, matches: (wanted, { name }) => sameIgnoringCase(wanted, name) },
]

/** A suggestion that is less likely than this only distracts. */
const suggestedFrom = 0.55
const mostSuggestions = 5
/** Above it the best suggestion is the wanted name with a slip in it, not a name that shares a word with it. */
const plausibleAbove = 0.87
/** How much of what a caller wrote is repeated in a message, in code points. */
const quotedLength = 80

/**
 * The one candidate that a reference means. Throws `NotFound` with the nearest names, or `Ambiguous` with all that fit equally.
 * A near miss is taken only with `autoAccept`, and only when nothing else comes close.
 */
export function findReference<C extends Candidate>(wanted: string, candidates: readonly C[], options: ReferenceOptions): Reference<C> {
  // One thing may come from two lists; it is no tie with itself.
  const known = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
  const exact = findExact(wanted, known)
  if (exact) {
    const [match, ...others] = exact.matches
    if (match && others.length === 0) return { match, how: exact.rank.how, confidence: exact.rank.confidence }
    throw ambiguous(wanted, exact, options)
  }
  // One letter makes another address, so an address is only ever suggested.
  const isAddress = wanted.includes('@')
  const texts = known.map(({ name, email }) => (isAddress ? (email ?? name) : name))
  const ranked = wanted.trim() === '' ? [] : rank(wanted, texts)
  const accepted = options.autoAccept && !isAddress ? autoAccept(wanted, ranked) : undefined
  const match = accepted && known[accepted.index]
  if (match) return { match, how: 'fuzzy', confidence: accepted.confidence }
  throw notFound({ wanted, known, ranked }, options)
}

/**
 * The candidates that a list of references means, in the order of the list. All that fail are reported together; the proposed change
 * is the whole list with the plausible fixes in it.
 */
export function findReferences<C extends Candidate>(
  wanted: readonly string[],
  candidates: readonly C[],
  options: ReferenceOptions,
): Reference<C>[] {
  const failures = new Map<string, ToolError>()
  const found = wanted.flatMap((one) => {
    try {
      return [findReference(one, candidates, options)]
    } catch (error) {
      if (!isReportable(error)) throw error
      failures.set(one, error)
      return []
    }
  })
  const { parameter } = options
  const fix = (one: string) => failures.get(one)?.details.next?.change?.[parameter]
  const change = wanted.some((one) => fix(one) !== undefined) ? { [parameter]: wanted.map((one) => fix(one) ?? one) } : {}
  if (failures.size > 0) throw merged([...failures.values()], change)
  return found
}

interface Exact<C> {
  readonly rank: ExactRank
  readonly matches: readonly C[]
}

function findExact<C extends Candidate>(wanted: string, known: readonly C[]): Exact<C> | undefined {
  if (wanted.trim() === '') return undefined
  for (const rank of exactRanks) {
    const matches = known.filter((candidate) => rank.matches(wanted, candidate))
    if (matches.length > 0) return { rank, matches }
  }
  return undefined
}

function ambiguous(wanted: string, { rank, matches }: Exact<Candidate>, options: ReferenceOptions): Ambiguous {
  const { noun, confidence } = rank
  const listed = matches.slice(0, mostSuggestions).map(({ id, name, email }) => `${quoted(name)} (${email ?? id})`)
  const more = matches.length > listed.length ? ` and ${matches.length - listed.length} more` : ''
  const message = `${described(wanted, options)} is the ${noun} of more than one ${options.kind}: ${listed.join(', ')}${more}.`
  return new Ambiguous(`${message} Give the id of the one that is meant.`, {
    suggestions: matches.map(({ id, name }) => ({ value: name, id, confidence })),
    choices: [choiceAmong(matches, { parameter: options.parameter, given: wanted, kind: options.kind })],
  })
}

interface Miss {
  readonly wanted: string
  readonly known: readonly Candidate[]
  readonly ranked: readonly Ranked[]
}

function notFound(miss: Miss, options: ReferenceOptions): NotFound {
  const { wanted, known, ranked } = miss
  const suggestions = ranked
    .filter(({ confidence }) => confidence >= suggestedFrom)
    .slice(0, mostSuggestions)
    .flatMap(({ value, index, confidence }) => {
      const id = known[index]?.id
      return id === undefined ? [] : [{ value, id, confidence: Math.round(confidence * 100) / 100 }]
    })
  const closest = [...new Set(suggestions.map(({ value }) => quoted(value)))].join(', ')
  const none = known.length === 0 ? ': there is none' : ', and none comes close'
  const message = `No ${options.kind} matches ${described(wanted, options)}`
  const fix = plausibleFix(miss)
  return new NotFound(closest === '' ? `${message}${none}.` : `${message}. Closest: ${closest}.`, {
    suggestions,
    ...(fix !== undefined && { next: { change: { [options.parameter]: fix } } }),
  })
}

/** What the caller can write instead: the best text if it means the best candidate and no other, otherwise its id. */
function plausibleFix({ known, ranked }: Miss): string | undefined {
  const [best] = ranked
  const candidate = best && known[best.index]
  if (!candidate || !standsAlone(ranked, plausibleAbove)) return undefined
  const meant = findExact(best.value, known)?.matches ?? []
  return meant.length === 1 && meant[0] === candidate ? best.value : candidate.id
}

function described(wanted: string, { kind, parameter }: ReferenceOptions): string {
  return parameter.startsWith(kind) ? quoted(wanted) : `${quoted(wanted)} (${parameter})`
}

function quoted(text: string): string {
  const letters = Array.from(text)
  return JSON.stringify(letters.length > quotedLength ? `${letters.slice(0, quotedLength).join('')}…` : text)
}
