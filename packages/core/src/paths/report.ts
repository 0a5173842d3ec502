import { Ambiguous, NotFound, type Suggestion } from '../errors.ts'
import { createChoice } from '../matching/candidates.ts'
import { rank, type Ranked, suggestionOf, suggestionThreshold } from '../matching/rank.ts'
import { quote } from '../text.ts'
import type { ParsedPath } from './path.ts'
import type { FoundItem, PartialMatch, PathItem, PathScope, WalkResult } from './walk.ts'

const maxListed = 20
const maxSuggestions = 5
/** How much of a path a message repeats, in UTF-16 units. */
const maxQuoted = 200

/** Lists everything that a path can mean, and lets a person choose. */
export function ambiguousPath<Item extends PathItem>(
  query: { readonly text: string; readonly parameter: string },
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
    `${quote(text, maxQuoted)} means ${all.length} items in ${name}: ${list.join('; ')}${more}. Pass the id of the one that is meant.`,
    {
      suggestions: listed.map(({ id, path }) => ({ value: path, id, confidence: 1 })),
      choices: [createChoice(candidates, { parameter, reference: text, kind: 'item' })],
    },
  )
}

/** Says how far a path goes, and which names there are closest. */
export async function pathNotFound<Item extends PathItem>(
  path: ParsedPath,
  { partial, deadEnds }: WalkResult<Item>,
  scope: PathScope<Item>,
): Promise<NotFound> {
  const start: PartialMatch = { folder: scope.root, position: 0, names: [] }
  const deepest = partial.reduce((best, match) => (match.position > best.position ? match : best), start)
  const rest = path.rest(deepest.position).replace(/^\/+|(?<!\/)\/+$/g, '')
  const deadEnd = deadEnds.find(({ names }) => names.length > deepest.names.length)
  const suggestions = deadEnd ? [] : await suggestChildren(rest, deepest, scope)
  const closest = [...new Set(suggestions.map(({ value }) => quote(value, maxQuoted)))].join(', ')
  const sentences = [
    `Nothing in ${scope.name} has the path ${quote(path.text, maxQuoted)}.`,
    deadEnd ? describeDeadEnd(deadEnd) : describeMissing(rest, deepest, scope.name),
    ...(closest === '' ? [] : [`Closest: ${closest}.`]),
    ...(path.text === scope.name ? [`The top of ${scope.name} itself is "${scope.root}".`] : []),
  ]
  return new NotFound(sentences.join(' '), { suggestions })
}

function describeDeadEnd<Item extends PathItem>({ item, names }: FoundItem<Item>): string {
  const subject = `${quote(names.join('/'), maxQuoted)} is a ${item.kind}`
  return item.folderId === undefined ? `${subject}, not a folder.` : `${subject}, and what it leads to is gone or cannot be seen.`
}

function describeMissing(rest: string, { names }: PartialMatch, scopeName: string): string {
  const place = names.length === 0 ? `At the top of ${scopeName}` : `The path goes as far as ${quote(names.join('/'), maxQuoted)}; in it`
  return `${place} there is no ${quote(firstName(rest), maxQuoted)}, case included.`
}

function firstName(rest: string): string {
  return rest.split('/')[0] ?? rest
}

/** The children of a folder whose names are close to the next name of the path, or to all that is left of it. */
async function suggestChildren<Item extends PathItem>(rest: string, parent: PartialMatch, scope: PathScope<Item>): Promise<Suggestion[]> {
  const children = await scope.listChildren(parent.folder)
  const childNames = children.map(({ name }) => name)
  const ranked: Ranked[] = [...rank(firstName(rest), childNames), ...(rest.includes('/') ? rank(rest, childNames) : [])]
  return ranked
    .filter(({ confidence }) => confidence >= suggestionThreshold)
    .sort((a, b) => b.confidence - a.confidence)
    .flatMap((each) => {
      const child = children[each.index]
      return child ? [suggestionOf(each, { value: [...parent.names, child.name].join('/'), id: child.id })] : []
    })
    .filter(({ id }, index, all) => all.findIndex((other) => other.id === id) === index)
    .slice(0, maxSuggestions)
}
