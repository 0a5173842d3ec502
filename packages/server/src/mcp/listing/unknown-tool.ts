import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling, isReversal, splitWords, stem } from '@mcp-toolkits/core/references'
import { withImplied, words } from '@mcp-toolkits/core/tool'
import type { ToolVocabulary } from '../definition.ts'
import { type Listing, withoutPrefix } from './listing.ts'

/** Error for a name that no offered tool has. */
export interface UnknownTool {
  /** In one sentence; undefined when no tool is close. */
  readonly text?: string
  readonly suggestions: readonly { readonly value: string; readonly confidence: number }[]
  /** Present if one tool is clearly meant, with the arguments that its other name implies. */
  readonly next?: { readonly tool: string; readonly change?: JsonObject }
}

/** A call of a name that no offered tool has. */
interface UnknownCall {
  readonly name: string
  readonly args?: unknown
}

/** Verbs that people use for each other. To archive something is not to delete it. */
const verbs = [
  'get fetch read show view retrieve',
  'list search find query browse lookup',
  'create add new make post write',
  'update edit modify change set',
  'delete remove trash',
  'archive',
].map((group) => words(group).map(stem))
const [getVerb, listVerb, , , deleteVerb = []] = verbs

/** Words that add nothing to the name of a tool. */
const fillers = words('a an the of to for mcp api tool')

const maxSuggestions = 3
const clear = 0.9
const near = 0.6

interface NamedTool {
  /** As it is advertised. */
  readonly advertised: string
  readonly name: string
  /** Callers' names for it, with the arguments that each implies; its own name is the first. */
  readonly names: readonly (readonly [name: string, implied: JsonObject])[]
  readonly isRead: boolean
}

/** Why a tool is not offered, and which one is meant: an option hides it, or others are like it in name and meaning. */
export function explainUnknownTool(
  { name, args }: UnknownCall,
  { prefix, vocabulary = {} }: { readonly prefix: string; readonly vocabulary?: ToolVocabulary | undefined },
  listing: Listing,
): UnknownTool {
  const option = listing.hiddenBy(name)
  if (option === '--read-only') return { text: 'It writes, and this server was started with --read-only.', suggestions: [] }
  if (option === '--tools') return { text: 'This server was started with --tools, which leaves it out.', suggestions: [] }
  const tools = listing.tools.map((tool): NamedTool => {
    const own = withoutPrefix(tool.name, prefix)
    const names = [[own, {}] as const, ...withImplied(vocabulary.names?.[own] ?? [])]
    return { advertised: tool.name, name: own, names, isRead: tool.annotations['readOnlyHint'] === true }
  })
  const written = inOwnWords(splitWords(name), splitWords(prefix), vocabulary)
  const spelled = listing.spell(`${prefix}.${name}`)
  const found = findMeant(written, tools)
  const possible = found.length === 0 && spelled !== undefined ? [{ tool: spelled, implied: {} }] : found
  const [only, ...rivals] = possible
  const meant = rivals.length === 0 ? only : undefined
  const others = [...possible.map(({ tool }) => tool), ...findSimilar(written, tools)].filter((each) => each !== meant?.tool)
  const suggestions = [
    ...(meant === undefined ? [] : [{ value: meant.tool, confidence: clear }]),
    ...[...new Set(others)].map((value) => ({ value, confidence: near })),
  ].slice(0, maxSuggestions)
  if (suggestions.length === 0) return { suggestions }
  const text = `Closest: ${suggestions.map(({ value }) => value).join(', ')}.`
  return { text, suggestions, ...(meant !== undefined && nextStep(meant, args)) }
}

/** The corrected call. An argument that a name implies never replaces the caller's own; if they differ, nothing is proposed. */
function nextStep({ tool, implied }: MeantTool, args: unknown): Pick<UnknownTool, 'next'> {
  const given = Object.entries(implied).filter(([name]) => isObject(args) && args[name] !== undefined)
  if (given.some(([name, value]) => isObject(args) && args[name] !== value)) return {}
  return { next: { tool, ...(Object.keys(implied).length > given.length && { change: implied }) } }
}

/** The words of a name in those of the tools, without the prefix or the product in front and the words after "by". */
function inOwnWords(written: readonly string[], prefix: readonly string[], { words: synonyms = {}, fillers: own = [] }: ToolVocabulary) {
  const known = new Map(Object.entries(synonyms).flatMap(([word, list]) => list.map((other) => [stem(other), word] as const)))
  // Callers leave out the "api" of a prefix.
  const product = prefix.filter((word) => !fillers.includes(word))
  const isPrefixed = product.every((word, index) => written[index] === word)
  const start = written.findIndex((word, index) => !(isPrefixed && index < product.length) && ![...own, ...fillers].includes(word))
  const by = written.indexOf('by')
  return written.slice(Math.max(start, 0), by > 0 ? by : undefined).map((word) => {
    const other = known.get(stem(word))
    return other === undefined || !isPlural(word) ? (other ?? word) : `${other}s`
  })
}

function isPlural(word: string): boolean {
  return /[^su]s$/.test(word)
}

interface MeantTool {
  readonly tool: string
  readonly implied: JsonObject
}

/** The tools that a name clearly means, usually one: the same words, a synonym of the verb, or a slip of the pen. */
function findMeant(written: readonly string[], tools: readonly NamedTool[]): readonly MeantTool[] {
  const name = written.join('_')
  const possible = tools.flatMap(({ advertised, names }) =>
    names
      .map(([each, implied], index) => ({ tool: advertised, words: splitWords(each), name: each, implied, isOwn: index === 0 }))
      .filter((each) => !isReversal(name, each.name)),
  )
  type Possible = (typeof possible)[number]
  const rules = [
    (each: Possible) => each.words.join('') === written.join(''),
    (each: Possible) => isSameAction(written, each.words) && (each.isOwn || written.includes('add') === each.words.includes('add')),
    (each: Possible) => !each.isOwn && contentOf(each.words).join(' ') === contentOf(written).join(' '),
    (each: Possible) => each.isOwn && verbOf(written) === verbOf(each.words) && isMisspelling(name, each.name),
  ]
  for (const rule of rules) {
    const found = possible.filter(rule)
    if (found.length > 0) return found.filter(({ tool }, index) => found.findIndex((other) => other.tool === tool) === index)
  }
  return []
}

/** The words that say something, without endings, in any order: `events_batch` for "batch event". */
function contentOf(words: readonly string[]): string[] {
  return words
    .filter((word) => !fillers.includes(word))
    .map(stem)
    .sort()
}

/** The verb as the group of its synonyms. To get several things is to list them. */
function verbOf(words: readonly string[]): readonly string[] | undefined {
  const group = verbs.find((each) => words.some((word) => each.includes(stem(word))))
  return group === getVerb && isPlural(words.at(-1) ?? '') ? listVerb : group
}

/** True if two names have the same verb, or a synonym of it, and the same object. */
function isSameAction(written: readonly string[], name: readonly string[]): boolean {
  const verb = verbOf(written)
  const [nouns, others] = [written, name].map((words) => contentOf(words).filter((word) => !verbs.some((group) => group.includes(word))))
  return verb !== undefined && verb === verbOf(name) && nouns?.join() !== '' && nouns?.join() === others?.join()
}

/** Tools that share the rarest words with a name. What reads is not answered with writes. */
function findSimilar(written: readonly string[], tools: readonly NamedTool[]): string[] {
  // Something that a caller wants to delete can perhaps be archived.
  const meant = written.map((word) => (deleteVerb.includes(stem(word)) ? 'archive' : word))
  const wanted = contentOf(meant)
  const all = tools.map((tool) => ({ ...tool, shared: contentOf(splitWords(tool.name)).filter((word) => wanted.includes(word)) }))
  const rarity = (word: string) => 1 / all.filter(({ shared }) => shared.includes(word)).length
  const similar = all
    .filter(({ name, shared }) => shared.length > 0 && !isReversal(meant.join('_'), name))
    .map(({ shared, ...tool }) => ({ ...tool, score: shared.reduce((sum, word) => sum + rarity(word), 0) }))
    .sort((a, b) => b.score - a.score)
  const verb = verbOf(written)
  const reads = verb === getVerb || verb === listVerb ? similar.filter(({ isRead }) => isRead) : []
  return (reads.length > 0 ? reads : similar).slice(0, maxSuggestions).map(({ advertised }) => advertised)
}
