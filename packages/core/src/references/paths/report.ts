import { Ambiguous, type ErrorDetails, InvalidInput, NotFound } from '../../errors/errors.ts'
import type { Message } from '../../errors/message.ts'
import { createChoice } from '../matching/candidates.ts'
import { isClearlyBest, rank, suggestionOf, suggestionThreshold } from '../matching/closest-names.ts'
import { quote } from '../../errors/text.ts'
import type { ParsedPath } from './path.ts'
import type { FoundItem, PartialMatch, PathItem, PathQuery, PathScope, WalkResult } from './walk.ts'

const maxListed = 20
const maxSuggestions = 5
/** Confidence above which the closest path is taken for the same path with a typo; below it, the paths may only share a word. */
const plausibleAbove = 0.87
/** Minimum confidence of two names that differ only in case, accents, punctuation or spaces. */
const sameFrom = 0.97
/** Minimum difference in confidence between a path with such names and the second-best path. */
const minLead = 0.1
/** Confidence for a name that only adds an extension, or that was written with the word "folder". */
const surelyMeant = 0.9
/** Maximum length, in code units, of a path quoted in a message. */
const maxQuoted = 200

/** Error that lists everything that a path can mean, for a person to choose from. */
export function ambiguousPath<Item extends PathItem>(
  query: PathQuery,
  found: readonly FoundItem<Item>[],
  { name, describe }: PathScope<Item>,
): Ambiguous {
  const { text, parameter } = query
  const all = found.map(({ item, names }) => {
    const description = describe?.(item)
    return { id: item.id, kind: item.kind, path: names.join('/'), detail: description === undefined ? '' : `, ${description}` }
  })
  const listed = all.slice(0, maxListed)
  const list = listed.map(({ id, kind, path, detail }) => `${kind} ${quote(path, maxQuoted)} (id ${id}${detail})`)
  const more = all.length > listed.length ? `; and ${all.length - listed.length} more` : ''
  const candidates = all.map(({ id, kind, path, detail }) => ({ id, name: path, parent: `${kind}${detail}` }))
  return new Ambiguous(
    `${quote(text, maxQuoted)} matches ${all.length} items in ${name}: ${list.join('; ')}${more}. Pass the id of the one you mean.`,
    {
      suggestions: listed.map(({ id, path }) => ({ value: path, id, parameter, confidence: 1 })),
      choices: [createChoice(candidates, { parameter, reference: text, kind: 'item' })],
    },
  )
}

/** Error for text that consists of several existing paths. */
export function severalPaths(
  { text, parameter }: PathQuery,
  found: readonly { readonly item: PathItem; readonly path: string }[],
): InvalidInput {
  return new InvalidInput(`${quote(text, maxQuoted)} names ${found.length} items, and ${parameter} takes one. Make one call for each.`, {
    suggestions: found.map(({ item, path }) => ({ value: path, id: item.id, parameter, confidence: surelyMeant })),
  })
}

/** The error for a path of which only the beginning exists. */
export class PathNotFound extends NotFound {
  /** The first missing name, and the path of the folder that lacks it; undefined if there is a file or a similar name instead. */
  readonly end: PathEnd | undefined

  constructor(text: string | Message, details: ErrorDetails, end: PathEnd | undefined) {
    super(text, details)
    this.end = end
  }
}

interface PathEnd {
  /** Empty for the root. */
  readonly folder: string
  readonly name: string
}

/** Describes the existing part of a path and the closest paths; proposes the closest if it clearly leads. */
export async function pathNotFound<Item extends PathItem>(
  { text, parameter, expects }: PathQuery,
  { path, walk: { partial, deadEnds } }: { readonly path: ParsedPath; readonly walk: WalkResult<Item> },
  scope: PathScope<Item>,
): Promise<PathNotFound> {
  const start: PartialMatch = { folder: scope.root, position: 0, names: [] }
  const deepest = partial.reduce((best, match) => (match.position > best.position ? match : best), start)
  const rest = path
    .rest(deepest.position)
    .split('/')
    .filter((part) => part !== '')
  const deadEnd = deadEnds.find(({ names }) => names.length > deepest.names.length)
  const { complete, incomplete } = deadEnd ? nothingClose : await findClosest(rest, deepest, scope)
  const close = complete.filter(({ item }) => expects === undefined || (item.folderId === undefined) === (expects === 'file'))
  const otherKind = complete.filter((match) => !close.includes(match))
  const [best] = close
  const sentences = [
    deadEnd ? describeDeadEnd(text, deadEnd) : describeMissing(text, rest, deepest, scope.name),
    ...listed('Closest', close),
    ...listed(expects === 'file' ? 'Folders with a similar path' : 'Files with a similar path', otherKind),
    ...(close.length === 0 ? listed('Similar, but without the rest of the path', incomplete) : []),
  ]
  const details = {
    suggestions: close.map((match) => suggestionOf(match, { value: match.names.join('/'), id: match.item.id, parameter })),
    ...(best && (isClearlyBest(close, plausibleAbove) || isFarAhead(close)) && { next: { change: { [parameter]: best.names.join('/') } } }),
  }
  const [name = ''] = rest
  return new PathNotFound(
    sentences.join(' '),
    details,
    deadEnd || incomplete.length > 0 ? undefined : { folder: deepest.names.join('/'), name },
  )
}

/** True if the closest path, and no other, differs only in case, accents, punctuation or spaces. */
function isFarAhead([best, second]: readonly CloseMatch<PathItem>[]): boolean {
  return best !== undefined && best.confidence >= sameFrom && (second?.confidence ?? 0) <= best.confidence - minLead
}

function listed(label: string, matches: readonly CloseMatch<PathItem>[]): string[] {
  const paths = [...new Set(matches.map(({ names }) => quote(names.join('/'), maxQuoted)))]
  return paths.length === 0 ? [] : [`${label}: ${paths.join(', ')}.`]
}

function describeDeadEnd<Item extends PathItem>(text: string, { item, names }: FoundItem<Item>): string {
  const subject = `${quote(names.join('/'), maxQuoted)} is a ${item.kind}`
  const reason = item.folderId === undefined ? `${subject}, not a folder` : `${subject} whose target is gone or not visible`
  return `No item has the path ${quote(text, maxQuoted)}: ${reason}.`
}

function describeMissing(text: string, rest: readonly string[], { names }: PartialMatch, scopeName: string): string {
  const missing = `no ${quote(rest[0] ?? '', maxQuoted)} (names are case-sensitive)`
  if (names.length > 0)
    return `No item has the path ${quote(text, maxQuoted)}: ${quote(names.join('/'), maxQuoted)} exists, but contains ${missing}.`
  const subject = `${scopeName.charAt(0).toUpperCase()}${scopeName.slice(1)} has ${missing}`
  return text === rest[0] ? `${subject}.` : `No item has the path ${quote(text, maxQuoted)}: ${scopeName} has ${missing}.`
}

/** A path that continues from the existing part through names close to the rest. */
interface CloseMatch<Item> extends FoundItem<Item> {
  /** The lowest confidence along the way, in [0, 1]. */
  readonly confidence: number
}

interface ClosestPaths<Item> {
  /** Whole paths, closest first. */
  readonly complete: readonly CloseMatch<Item>[]
  /** Items with names close to the next one, but without the rest of the path. */
  readonly incomplete: readonly CloseMatch<Item>[]
}

const nothingClose = { complete: [], incomplete: [] }

/** Maximum number of folders listed to complete a path, besides its last existing one. */
const maxListings = 6

/** The paths that a misspelt path can mean, in full: a similar parent folder alone is not enough. */
async function findClosest<Item extends PathItem>(
  rest: readonly string[],
  parent: PartialMatch,
  scope: PathScope<Item>,
): Promise<ClosestPaths<Item>> {
  const complete = new Map<string, CloseMatch<Item>>()
  const add = (match: CloseMatch<Item>) => {
    if ((complete.get(match.item.id)?.confidence ?? 0) < match.confidence) complete.set(match.item.id, match)
  }
  const first = await closeChildren(rest, { ...parent, confidence: 1 }, scope)
  let open = first
  for (let listings = 0; open.length > 0 && listings < maxListings;) {
    open.filter((match) => match.rest.length === 0).forEach(add)
    const folders = open.flatMap(({ item, ...match }) =>
      item.folderId === undefined || match.rest.length === 0 ? [] : [{ ...match, folder: item.folderId }],
    )
    const chosen = folders.slice(0, maxListings - listings)
    listings += chosen.length
    const below = await Promise.all(chosen.map((match) => closeChildren(match.rest, match, scope)))
    open = below.flat()
    if (chosen.length === 0) break
  }
  open.filter((match) => match.rest.length === 0).forEach(add)
  const sorted = [...complete.values()].sort((a, b) => b.confidence - a.confidence)
  return {
    complete: sorted.slice(0, maxSuggestions),
    incomplete: first.filter(({ rest: left }) => left.length > 0).slice(0, maxSuggestions),
  }
}

/** A folder's children whose names are close to a path's next name or to its entire remainder. */
async function closeChildren<Item extends PathItem>(
  [next = '', ...rest]: readonly string[],
  parent: Pick<PartialMatch, 'folder' | 'names'> & { readonly confidence: number },
  scope: PathScope<Item>,
): Promise<(CloseMatch<Item> & { readonly rest: readonly string[] })[]> {
  const children = await scope.listChildren(parent.folder)
  const childNames = children.map(({ name }) => name)
  // Omitting an extension is unambiguous if only one name matches without it.
  const isWithExtension = (name: string) => {
    const bare = name.replace(/\.[a-z\d]{1,5}$/i, '')
    return bare !== name && isClearlyBest(rank(next, [bare]), plausibleAbove)
  }
  // Accepts "the Photos folder", or a name without its emoji.
  const named = next.replace(/^the\s/i, '').replace(/^(?:file|folder|directory)\s|\s(?:file|folder|directory)$/i, '')
  const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const isNamed = (name: string) => lettersOf(next) !== '' && [next, named].some((each) => lettersOf(each) === lettersOf(name))
  const likeNext = rank(next, childNames).map(({ confidence, ...each }) => ({
    ...each,
    rest,
    confidence: isNamed(each.value) || (rest.length === 0 && isWithExtension(each.value)) ? Math.max(confidence, surelyMeant) : confidence,
  }))
  // A name may contain the remaining slashes.
  const likeAll = rank([next, ...rest].join('/'), childNames).flatMap((each) =>
    each.value.includes('/') && rest.length > 0 ? [{ ...each, rest: [] }] : [],
  )
  return [...likeNext, ...likeAll]
    .filter(({ confidence }) => confidence >= suggestionThreshold)
    .sort((a, b) => b.confidence - a.confidence)
    .flatMap(({ index, confidence, rest: left }) => {
      const item = children[index]
      if (!item) return []
      return [{ item, names: [...parent.names, item.name], confidence: Math.min(parent.confidence, confidence), rest: left }]
    })
    .slice(0, maxSuggestions)
}
