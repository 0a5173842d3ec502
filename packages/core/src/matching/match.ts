import { isArgumentError, combineErrors } from '../error-collector.ts'
import { createChoice, toldApart } from './report.ts'
import { Ambiguous, type NextStep, NotFound, type ToolError } from '../errors.ts'
import { autoAccept, rank, type Ranked, standsAlone } from './rank.ts'
import { Message, sentence } from '../message.ts'
import { ignoringCase } from './normalize.ts'

/** Something that a caller may refer to. `key` is the identifier that people write: `ENG`, `ENG-123`. */
export interface Candidate {
  readonly id: string
  readonly name: string
  readonly key?: string | undefined
  readonly email?: string | undefined
  readonly slug?: string | undefined
  /** The name without that of its group, where `name` is `group/name`: it means the candidate as well. */
  readonly shortName?: string | undefined
  /** A type, which means the candidate where it is the only one of that type: `completed`. */
  readonly type?: string | undefined
  /** What it belongs to, as people call it; only told, to tell twins apart: the team of a label. */
  readonly parent?: string | undefined
}

/** Where a reference stands in a call, and whether a near miss may be taken. */
export interface MatchOptions {
  /** What is looked for, as a noun in the singular: `team`. */
  readonly kind: string
  /** The parameter that holds the reference. */
  readonly parameter: string
  readonly autoAccept: boolean
  /** The tool that lists what there is, for a miss that nothing comes close to. */
  readonly listTool?: NextStep | undefined
  /** What is said of a miss in place of "No team matches …". */
  readonly notFound?: Explanation | undefined
  /** Which of several is meant is of no importance yet: any of them is taken. */
  readonly allowTies?: boolean | undefined
  /** Those that are meant wherever they fit: others count only when none of them does. */
  readonly isPreferred?: ((candidate: Candidate) => boolean) | undefined
  /** What has such a name but cannot be meant. */
  readonly ineligible?: IneligibleCandidates | undefined
}

/** Why something cannot be meant, and what can be done about it. */
export interface Explanation {
  readonly message: string | Message
  readonly next?: NextStep | undefined
}

export interface IneligibleCandidates {
  readonly candidates: readonly Candidate[]
  readonly explain: (one: Candidate) => Explanation
}

export type MatchedBy = 'id' | 'key' | 'email' | 'slug' | 'name' | 'name_ignoring_case' | 'group' | 'type' | 'fuzzy'

/** What a reference was resolved to; `confidence` is in [0, 1], and 1 for everything exact. */
export interface Match<C extends Candidate> {
  readonly candidate: C
  readonly matchedBy: MatchedBy
  readonly confidence: number
}

interface ExactRank {
  readonly how: Exclude<MatchedBy, 'fuzzy'>
  readonly noun: string
  readonly confidence: number
  readonly matches: (wanted: string, candidate: Candidate) => boolean
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const sameId = (wanted: string, id: string) => wanted === id || (uuid.test(wanted) && wanted.toLowerCase() === id.toLowerCase())
/** `group: name` and `group → name` are other ways to write `group/name`. */
const grouped = (text: string) => ignoringCase(text).replace(/\s*[:→/]\s*/g, '/')
const sameIgnoringCase = (wanted: string, text: string | undefined) => text !== undefined && ignoringCase(wanted) === ignoringCase(text)

/** What a reference is compared with, in this order; the first rank with a match decides. */
const exactRanks: readonly ExactRank[] = [
  { how: 'id', noun: 'id', confidence: 1, matches: (wanted, { id }) => sameId(wanted.trim(), id) },
  { how: 'key', noun: 'key', confidence: 1, matches: (wanted, { key }) => sameIgnoringCase(wanted, key) },
  { how: 'email', noun: 'e-mail address', confidence: 1, matches: (wanted, { email }) => sameIgnoringCase(wanted, email) },
  { how: 'slug', noun: 'slug', confidence: 1, matches: (wanted, { slug }) => wanted.trim() === slug },
  {
    how: 'name',
    noun: 'name',
    confidence: 1,
    matches: (wanted, { name, shortName: short = name }) => [name, short].some((each) => wanted.normalize('NFC') === each.normalize('NFC')),
  },
  {
    how: 'name_ignoring_case',
    noun: 'name',
    confidence: 0.99,
    matches: (wanted, { name, shortName: short }) => sameIgnoringCase(wanted, name) || sameIgnoringCase(wanted, short),
  },
  {
    how: 'group',
    noun: 'name',
    confidence: 0.99,
    matches: (wanted, { name, shortName: short }) => short !== undefined && grouped(wanted) === grouped(name),
  },
  { how: 'type', noun: 'type', confidence: 0.99, matches: (wanted, { type }) => sameIgnoringCase(wanted, type) },
]

/** A suggestion that is less likely than this only distracts. */
const suggestedFrom = 0.55
const mostSuggestions = 5
/** As many are all named when nothing comes close. */
const mostNamed = 12
/** Above it the best suggestion is the wanted name with a slip in it, not a name that shares a word with it. */
const plausibleAbove = 0.87
/** How much of what a caller wrote is repeated in a message, in code points. */
const quotedLength = 80

/**
 * The one candidate that a reference means. Throws `NotFound` with the nearest names, or `Ambiguous` with all that fit equally.
 * A near miss is taken only with `autoAccept`, and only when nothing else comes close.
 */
export function findMatch<C extends Candidate>(wanted: string, candidates: readonly C[], options: MatchOptions): Match<C> {
  // One thing may come from two lists; it is no tie with itself.
  const known = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
  const { isPreferred: preferred, ineligible: excluded } = options
  const exact = (preferred && findExact(wanted, known.filter(preferred))) ?? findExact(wanted, known)
  if (exact) {
    const [match, ...others] = exact.matches
    if (match && (others.length === 0 || options.allowTies === true))
      return { candidate: match, matchedBy: exact.rank.how, confidence: exact.rank.confidence }
    throw ambiguous(wanted, exact, options)
  }
  const ranked = rankByName(wanted, known)
  const [outside] = (excluded && findExact(wanted, excluded.candidates))?.matches ?? []
  if (excluded && outside) throw notFound({ wanted, known, ranked }, { ...options, notFound: excluded.explain(outside) })
  // One letter makes another address, so an address is only ever suggested.
  const accepted = options.autoAccept && !wanted.includes('@') ? autoAccept(wanted, ranked) : undefined
  const match = accepted && known[accepted.index]
  if (match) return { candidate: match, matchedBy: 'fuzzy', confidence: accepted.confidence }
  throw notFound({ wanted, known, ranked }, options)
}

/** Candidates by how much they are like what is wanted, each once, by whichever of its names is nearer. */
function rankByName(wanted: string, known: readonly Candidate[]): Ranked[] {
  if (wanted.trim() === '') return []
  const isAddress = wanted.includes('@')
  const texts = known.flatMap(({ name, shortName: short, email }, index) =>
    (isAddress ? [email ?? name] : [name, ...(short === undefined ? [] : [short])]).map((text) => ({ text, index })),
  )
  const ranked = rank(
    wanted,
    texts.map(({ text }) => text),
  ).map((each) => ({ ...each, index: texts[each.index]?.index ?? 0 }))
  return ranked.filter(({ index }, place) => ranked.findIndex((each) => each.index === index) === place)
}

/**
 * The candidates that a list of references means, in the order of the list. All that fail are reported together; the proposed change
 * is the whole list with the plausible fixes in it.
 */
export function findMatches<C extends Candidate>(wanted: readonly string[], candidates: readonly C[], options: MatchOptions): Match<C>[] {
  const failures = new Map<string, ToolError>()
  const found = wanted.flatMap((one) => {
    try {
      return [findMatch(one, candidates, options)]
    } catch (error) {
      if (!isArgumentError(error)) throw error
      failures.set(one, error)
      return []
    }
  })
  const { parameter } = options
  const fix = (one: string) => failures.get(one)?.details.next?.change?.[parameter]
  const change = wanted.some((one) => fix(one) !== undefined) ? { [parameter]: wanted.map((one) => fix(one) ?? one) } : {}
  if (failures.size > 0) throw combineErrors([...failures.values()], change)
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

function ambiguous(wanted: string, { rank, matches }: Exact<Candidate>, options: MatchOptions): Ambiguous {
  const { noun, confidence } = rank
  const listed = toldApart(matches)
    .slice(0, mostSuggestions)
    .map(({ name, apart }) => (apart === '' ? quoted(name) : `${quoted(name)} (${apart})`))
  const more = matches.length > listed.length ? ` and ${matches.length - listed.length} more` : ''
  const message = `${described(wanted, options)} is the ${noun} of more than one ${options.kind}: ${listed.join(', ')}${more}.`
  return new Ambiguous(`${message} Give the id of the one that is meant.`, {
    suggestions: matches.map(({ id, name }) => ({ value: name, id, confidence })),
    choices: [createChoice(matches, { parameter: options.parameter, reference: wanted, kind: options.kind })],
  })
}

interface Miss {
  readonly wanted: string
  readonly known: readonly Candidate[]
  readonly ranked: readonly Ranked[]
}

function notFound(miss: Miss, options: MatchOptions): NotFound {
  const { wanted, known, ranked } = miss
  const { kind, parameter, listTool: listedBy, notFound: missing } = options
  const suggestions = ranked
    .filter(({ confidence }) => confidence >= suggestedFrom)
    .slice(0, mostSuggestions)
    .flatMap((each) => {
      const candidate = known[each.index]
      return candidate ? [{ value: inFull(each, candidate), id: candidate.id, confidence: Math.round(each.confidence * 100) / 100 }] : []
    })
  const fix = plausibleFix(miss)
  const closest = quotedList(suggestions.map(({ value }) => value))
  const lists = listedBy?.tool === undefined ? '' : sentence`${{ tool: listedBy.tool }} lists what there is.`
  const names = known.length === 0 ? '' : `What can be meant: ${quotedList(known.map(({ name }) => name))}.`
  const text = Message.of(
    missing?.message ?? `No ${kind} matches ${described(wanted, options)}${nothingNear(miss, closest)}.`,
    closest !== '' ? `Closest: ${closest}.` : known.length > mostNamed ? lists : names,
  )
  const next = missing?.next ?? (fix === undefined ? listedBy : { change: { [parameter]: fix } })
  return new NotFound(text, { suggestions, ...(next && { next }) })
}

function nothingNear({ known }: Miss, closest: string): string {
  if (known.length === 0) return ': there is none'
  return closest === '' ? ', and none comes close' : ''
}

/** What the caller can write instead: the best text if it means the best candidate and no other, otherwise its id. */
function plausibleFix({ known, ranked }: Miss): string | undefined {
  const [best] = ranked
  const candidate = best && known[best.index]
  if (!candidate || !standsAlone(ranked, plausibleAbove)) return undefined
  const text = inFull(best, candidate)
  const meant = findExact(text, known)?.matches ?? []
  return meant.length === 1 && meant[0] === candidate ? text : candidate.id
}

/** The text that was compared, with the group where it is a short name. */
function inFull({ value }: Ranked, { name, shortName: short }: Candidate): string {
  return value === short ? name : value
}

function described(wanted: string, { kind, parameter }: MatchOptions): string {
  return parameter === kind ? quoted(wanted) : `${quoted(wanted)} (${parameter})`
}

function quotedList(texts: readonly string[]): string {
  return [...new Set(texts.map(quoted))].join(', ')
}

function quoted(text: string): string {
  const letters = Array.from(text)
  return JSON.stringify(letters.length > quotedLength ? `${letters.slice(0, quotedLength).join('')}…` : text)
}
