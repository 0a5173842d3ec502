import { Ambiguous, NotFound } from '../errors.ts'
import { Message, sentence } from '../message.ts'
import { quote, quoteIfNeeded } from '../text.ts'
import { type Candidate, type CandidateIndex, createChoice, distinguish, type ExactMatches, type MatchOptions } from './candidates.ts'
import { isClearlyBest, type Ranked, suggestionOf, suggestionThreshold } from './rank.ts'

const maxSuggestions = 5
/** When no name is close, all candidates are listed if there are no more than this. */
const maxListed = 12
/** Above this confidence the best suggestion is the same name with a typo; below it, it may only share a word. */
const plausibleAbove = 0.87
/** How much of a caller's text a message repeats. */
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
  /** The candidates by likeness; `index` is the place among them. */
  readonly ranked: readonly Ranked[]
}

export function referenceNotFound(miss: Miss, options: MatchOptions): NotFound {
  const { reference, ranked } = miss
  const { candidates } = miss.known
  const { kind, parameter, listTool, notFound } = options
  const suggestions = ranked
    .filter(({ confidence }) => confidence >= suggestionThreshold)
    .slice(0, maxSuggestions)
    .flatMap((each) => {
      const candidate = candidates[each.index]
      return candidate ? [suggestionOf(each, { value: fullText(each, candidate), id: candidate.id, parameter })] : []
    })
  const fix = findFix(miss)
  const closest = quoteList(suggestions.map(({ value }) => value))
  const tool = listTool?.tool === undefined ? '' : sentence`${{ tool: listTool.tool }} lists what there is.`
  const names = candidates.length === 0 ? '' : `What can be meant: ${quoteList(candidates.map(({ name }) => name))}.`
  const text = Message.of(
    notFound?.message ?? `No ${kind} matches ${describeReference(reference, options)}${explainMiss(miss, closest)}.`,
    closest !== '' ? `Closest: ${closest}.` : candidates.length > maxListed ? tool : names,
  )
  const next = notFound?.next ?? (fix === undefined ? listTool : { change: { [parameter]: fix } })
  return new NotFound(text, { suggestions, ...(next && { next }) })
}

function explainMiss({ known }: Miss, closest: string): string {
  if (known.candidates.length === 0) return ': there is none'
  return closest === '' ? ', and none comes close' : ''
}

/** What the caller can write instead: the closest text if it means the best candidate and no other, otherwise its id. */
function findFix({ known, ranked }: Miss): string | undefined {
  const [best] = ranked
  const candidate = best && known.candidates[best.index]
  if (!candidate || !isClearlyBest(ranked, plausibleAbove)) return undefined
  const text = fullText(best, candidate)
  const matches = known.findExact(text)?.matches ?? []
  return matches.length === 1 && matches[0] === candidate ? text : candidate.id
}

/** The text that was compared, with the group where it is a short name. */
function fullText({ value }: Ranked, { name, shortName }: Candidate): string {
  return value === shortName ? name : value
}

function describeReference(reference: string, { kind, parameter }: MatchOptions): string {
  return parameter === kind ? quote(reference, maxQuoted) : `${quote(reference, maxQuoted)} (${parameter})`
}

function quoteList(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => quote(text, maxQuoted)))].join(', ')
}
