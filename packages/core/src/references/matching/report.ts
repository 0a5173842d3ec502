import { Ambiguous, NotFound, type Suggestion } from '../../errors/errors.ts'
import { Message, sentence } from '../../errors/message.ts'
import { quote, quoteIfNeeded } from '../../errors/text.ts'
import { type Candidate, type CandidateIndex, createChoice, distinguish, type ExactMatches, type MatchOptions } from './candidates.ts'
import { isFiller } from '../../corrections/plausibility.ts'
import { isReversal, splitWords } from '../../corrections/reversals.ts'
import { isSameWord } from '../../corrections/spelling.ts'
import { isClearlyBest, rank, type Ranked, suggestionOf, suggestionThreshold } from './closest-names.ts'

const maxSuggestions = 5
/** Maximum number of candidates that an error lists in full if no name is close. */
const maxListed = 12
/** Confidence above which the best suggestion is taken for the same name with a typo; below it, the names may only share a word. */
const plausibleAbove = 0.87
/** Minimum difference in confidence between the best and the second-best name when the best one is chosen by its words. */
const minDistance = 0.05
/** Maximum number of names to compare if none is similar. */
const maxCompared = 500
/** Maximum length, in characters, of a caller's text quoted in a message. */
const maxQuoted = 80

export function ambiguousReference(reference: string, { rank, matches }: ExactMatches<Candidate>, options: MatchOptions): Ambiguous {
  const { kind, parameter } = options
  const { label, confidence } = rank
  const listed = distinguish(matches)
    .slice(0, maxSuggestions)
    .map(({ name, detail }) =>
      detail === '' ? quote(name, maxQuoted) : `${quote(name, maxQuoted)} (${detail.split(', ').map(quoteIfNeeded).join(', ')})`,
    )
  const more = matches.length > listed.length ? ` and ${matches.length - listed.length} more` : ''
  const text = `${describeReference(reference, options)} is the ${label} of more than one ${kind}: ${listed.join(', ')}${more}.`
  return new Ambiguous(`${text} Give the id of the one that is meant.`, {
    suggestions: matches.map(({ id, name }) => ({ value: name, id, parameter, confidence })),
    choices: [createChoice(matches, { parameter, reference, kind })],
  })
}

/** A reference that matches no candidate. */
export interface Miss {
  readonly reference: string
  readonly known: CandidateIndex<Candidate>
  /** The likely candidates, most similar first; `index` is the position among all candidates. */
  readonly ranked: readonly Ranked[]
}

export function referenceNotFound(miss: Miss, options: MatchOptions): NotFound {
  const { reference, known } = miss
  const { candidates } = known
  const { parameter, kind, listTool, notFound } = options
  const isName = !isFiller(reference)
  const suggestions = isName ? suggest(miss, options) : []
  const fix = isName ? findFix(miss, options) : undefined
  const isClose = suggestions.some(({ confidence }) => confidence >= suggestionThreshold)
  const endOf = (id: string | undefined) => candidates.find((candidate) => candidate.id === id)?.ended
  const closest = isClose ? quoteList(suggestions.map(({ value, id }) => ({ name: value, ended: endOf(id) }))) : ''
  const tool = listTool?.tool === undefined ? '' : sentence`${{ tool: listTool.tool }} lists all of them.`
  const names = candidates.length === 0 ? '' : `Available: ${quoteList(candidates)}.`
  const text = Message.of(
    notFound?.message ?? `No ${kind} matches ${describeReference(reference, options)}${candidates.length === 0 ? ': there is none' : ''}.`,
    closest !== '' ? `Closest: ${closest}.` : candidates.length > maxListed ? tool : names,
  )
  const next = notFound?.next ?? (fix === undefined ? listTool : { change: { [parameter]: fix } })
  return new NotFound(text, { suggestions, ...(next && { next }) })
}

/**
 * The likely candidates or, if there are none, the nearest, so every error offers a next step. Never a candidate that reverses the
 * meaning.
 */
function suggest({ reference, known: { candidates }, ranked }: Miss, { parameter }: MatchOptions): Suggestion[] {
  const names = candidates.slice(0, maxCompared).map(({ name }) => name)
  const listed = ranked.length > 0 ? ranked : rank(reference, names).filter(({ value }) => !isReversal(reference, value))
  return listed.slice(0, maxSuggestions).flatMap((each) => {
    const candidate = candidates[each.index]
    return candidate ? [suggestionOf(each, { value: fullText(each, candidate), id: candidate.id, parameter })] : []
  })
}

/** Text for the caller to send instead: the closest text if it identifies the best candidate, otherwise that candidate's id. */
function findFix({ reference, known, ranked }: Miss, options: MatchOptions): string | undefined {
  const [best] = ranked
  const candidate = best && known.candidates[best.index]
  if (!candidate || !(isClearlyBest(ranked, plausibleAbove) || isOnlyOneWithWords(reference, ranked, options))) return undefined
  const text = fullText(best, candidate)
  return known.findExact(text)?.matches[0] === candidate ? text : candidate.id
}

/**
 * True if only the best candidate has all the words of the reference: a first name, a surname, a plural, a name after its kind ("Project
 * Apollo"). A number in only one of the texts makes them different things.
 */
function isOnlyOneWithWords(reference: string, ranked: readonly Ranked[], { kind, parameter }: MatchOptions): boolean {
  const kinds = [...splitWords(kind), ...splitWords(parameter)]
  const [best, ...others] = ranked
  const hasWords = ({ value }: Ranked) => hasSameWords(reference, value, kinds)
  const isClear = best !== undefined && others.every(({ confidence }) => confidence <= best.confidence - minDistance)
  return isClear && hasWords(best) && !others.some(hasWords)
}

/** `kinds` are words for the kind of thing, which are not part of its name. */
function hasSameWords(reference: string, name: string, kinds: readonly string[]): boolean {
  if (reference.replace(/\D/g, '') !== name.replace(/\D/g, '')) return false
  const written = splitWords(reference).filter((word) => word !== 'the' && !kinds.some((kind) => isSameWord(word, kind)))
  const words = splitWords(name)
  return written.length > 0 && written.every((word) => word.length > 1 && words.some((other) => isSameWord(word, other)))
}

/** The text that was compared, or, if that is a short name, the full name. */
function fullText({ value }: Ranked, { name, shortName }: Candidate): string {
  return value === shortName ? name : value
}

function describeReference(reference: string, { kind, parameter }: MatchOptions): string {
  return parameter === kind ? quote(reference, maxQuoted) : `${quote(reference, maxQuoted)} (${parameter})`
}

function quoteList(named: readonly Pick<Candidate, 'name' | 'ended'>[]): string {
  return [...new Set(named.map(({ name, ended }) => `${quote(name, maxQuoted)}${ended === undefined ? '' : ` (${ended})`}`))].join(', ')
}
