import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling, isReversal, splitWords, stem } from '@mcp-toolkits/core/references'
import { withImplied, words } from '@mcp-toolkits/core/tool'
import type { Loaders, ServerDefinition, ToolVocabulary } from '../definition.ts'
import { type Listing, withoutPrefix } from './listing.ts'
import { toolsetOf } from './toolsets.ts'

/** The error for a name that no offered tool has. */
export interface UnknownTool {
  /** One sentence, or two; undefined if no tool is close. */
  readonly text?: string
  readonly suggestions: readonly { readonly value: string; readonly confidence: number }[]
  /** Present if one tool is clearly meant, with the arguments that the written name implies. */
  readonly next?: { readonly tool: string; readonly change?: JsonObject }
  /** The tool's toolset, if that toolset is off. */
  readonly toolset?: string
}

/** A call to an unknown or hidden tool. */
interface UnknownCall {
  readonly name: string
  readonly args?: unknown
}

/** Verbs that people use interchangeably, each mapped to the first in its group. Archiving is not deleting. */
const verbs = new Map(
  [
    'get fetch read show view retrieve',
    'list search find query browse lookup',
    'create new make post write',
    'update edit modify change set',
    'delete remove trash',
    'add',
    'archive',
  ].flatMap((group) => words(group).map((word) => [stem(word), words(group)[0] ?? word] as const)),
)

/** Words that add nothing to a tool's name. */
const fillers = words('a an the of to for mcp api tool')

const maxSuggestions = 3
const clear = 0.9
const near = 0.6

/** A tool's name, its own or one that callers use, with the arguments that it implies. */
interface Name {
  readonly tool: string
  readonly isRead: boolean
  readonly isOwn: boolean
  readonly words: readonly string[]
  readonly implied: JsonObject
}

export type ExplainedServer = Pick<ServerDefinition<never>, 'prefix' | 'toolsets'> & { readonly load: Pick<Loaders<never>, 'vocabulary'> }

/** Explains why a tool is not offered, using everything that the server knows about its tools. */
export async function whyUnknown(call: UnknownCall, definition: ExplainedServer, listing: Listing): Promise<UnknownTool> {
  const toolset = listing.hiddenBy(call.name) === undefined ? await toolsetOf(definition, call.name) : undefined
  const { prefix, load } = definition
  const explained = explainUnknownTool(call, { prefix, vocabulary: await load.vocabulary?.() }, listing)
  if (toolset === undefined) return explained
  const text = `It is in the toolset ${toolset}, and this server was started without --toolsets ${toolset}.`
  const { next } = explained
  // Only a read-only tool is certain to have no other effect.
  const isRead = listing.tools.some(({ name, annotations }) => name === next?.tool && annotations['readOnlyHint'] === true)
  return next && isRead
    ? { text: `${text} ${next.tool} does the same.`, suggestions: [{ value: next.tool, confidence: clear }], next, toolset }
    : { text, suggestions: [], toolset }
}

/** Explains why a tool is not offered, or which tool is meant: an option hides it, or others are similar in name and meaning. */
export function explainUnknownTool(
  { name, args }: UnknownCall,
  { prefix, vocabulary = {} }: { readonly prefix: string; readonly vocabulary?: ToolVocabulary | undefined },
  listing: Listing,
): UnknownTool {
  const option = listing.hiddenBy(name)
  if (option === '--read-only') return { text: 'It writes, and this server was started with --read-only.', suggestions: [] }
  if (option === '--tools') return { text: 'This server was started with --tools, which leaves it out.', suggestions: [] }
  const known = new Map(Object.entries(vocabulary.words ?? {}).flatMap(([word, all]) => all.map((other) => [stem(other), word] as const)))
  const translate = (word: string) => {
    const other = known.get(stem(word))
    return other !== undefined && isPlural(word) ? `${other}s` : (other ?? word)
  }
  const names = listing.tools.flatMap((tool): Name[] => {
    const own = withoutPrefix(tool.name, prefix)
    const all = [[own, {}] as const, ...withImplied(vocabulary.names?.[own] ?? [])]
    const isRead = tool.annotations['readOnlyHint'] === true
    return all.map(([text, implied], index) => {
      return { tool: tool.name, isRead, isOwn: index === 0, words: splitWords(text).map(translate), implied }
    })
  })
  const written = withoutProduct(splitWords(name), splitWords(prefix), vocabulary.fillers).map(translate)
  const spelled = listing.spell(`${prefix}.${name}`)
  const found = findMeant(written, names)
  const possible = found.length === 0 && spelled !== undefined ? [{ tool: spelled, implied: {} }] : found
  const [only, ...rivals] = possible
  const meant = rivals.length === 0 ? only : undefined
  const others = [...possible.map(({ tool }) => tool), ...findSimilar(written, names)].filter((each) => each !== meant?.tool)
  const suggestions = [
    ...(meant === undefined ? [] : [{ value: meant.tool, confidence: clear }]),
    ...[...new Set(others)].map((value) => ({ value, confidence: near })),
  ].slice(0, maxSuggestions)
  if (suggestions.length === 0) return { suggestions }
  const text = `Closest: ${suggestions.map(({ value }) => value).join(', ')}.`
  return { text, suggestions, ...(meant !== undefined && nextStep(meant, args)) }
}

/** The corrected call. An argument implied by a name never replaces the caller's own; if they differ, nothing is proposed. */
function nextStep({ tool, implied }: Pick<Name, 'tool' | 'implied'>, args: unknown): Pick<UnknownTool, 'next'> {
  const given = Object.entries(implied).filter(([name]) => isObject(args) && args[name] !== undefined)
  if (given.some(([name, value]) => isObject(args) && args[name] !== value)) return {}
  return { next: { tool, ...(Object.keys(implied).length > given.length && { change: implied }) } }
}

/** The words of a name without the prefix or the product in front, and without any words after "by". */
function withoutProduct(written: readonly string[], prefix: readonly string[], own: readonly string[] = []): readonly string[] {
  // Callers leave out the "api" of a prefix.
  const product = prefix.filter((word) => !fillers.includes(word))
  const isPrefixed = product.every((word, index) => written[index] === word)
  const start = written.findIndex((word, index) => !(isPrefixed && index < product.length) && ![...own, ...fillers].includes(word))
  const by = written.indexOf('by')
  return written.slice(Math.max(start, 0), by > 0 ? by : undefined)
}

function isPlural(word: string): boolean {
  return /[^su]s$/.test(word)
}

/** The clearly intended names, one per tool: the same words, the same action on the same thing, or a misspelling. */
function findMeant(written: readonly string[], names: readonly Name[]): readonly Name[] {
  const possible = names.filter((each) => !isReversal(written.join('_'), each.words.join('_')))
  const rules = [
    (each: Name) => each.words.join('') === written.join(''),
    (each: Name) => hasSameAction(written, each),
    (each: Name) => each.isOwn && verbOf(written) === verbOf(each.words) && isMisspelling(written.join('_'), each.words.join('_')),
  ]
  const found = rules.map((rule) => possible.filter(rule)).find(({ length }) => length > 0) ?? []
  return found.filter(({ tool }, index) => found.findIndex((other) => other.tool === tool) === index)
}

/** True if both names mean the same action on the same thing. A verb alone matches nothing, since it fits anything. */
function hasSameAction(written: readonly string[], name: Name): boolean {
  const action = actionOf(written, name)
  return action.some((word) => !isVerb(word)) && action.join(' ') === actionOf(name.words, name).join(' ')
}

/** The meaningful words of a name, sorted and stemmed. Only in a tool's own name does "add" mean "create". */
function actionOf(written: readonly string[], { isOwn }: Pick<Name, 'isOwn'>): string[] {
  const verb = verbOf(written)
  const said = contentOf(written).map((word) => (isVerb(word) && verb !== undefined ? verb : word))
  return (isOwn ? said.map((word) => (word === 'add' ? 'create' : word)) : said).toSorted()
}

function contentOf(written: readonly string[]): string[] {
  return written.filter((word) => !fillers.includes(word)).map(stem)
}

const isVerb = (word: string) => verbs.has(word)

/** A name's verb, as the first in its group. Getting several things counts as listing them. */
function verbOf(written: readonly string[]): string | undefined {
  const verb = written.map((word) => verbs.get(stem(word))).find((each) => each !== undefined)
  return verb === 'get' && isPlural(written.at(-1) ?? '') ? 'list' : verb
}

/** Tools that share the rarest words with a name. For a reading verb, tools that write are the last resort. */
function findSimilar(written: readonly string[], names: readonly Name[]): string[] {
  // A caller who wants to delete something may want to archive it.
  const meant = written.map((word) => (verbs.get(stem(word)) === 'delete' ? 'archive' : word))
  const wanted = contentOf(meant)
  const own = names
    .filter(({ isOwn }) => isOwn)
    .map((each) => ({ ...each, shared: contentOf(each.words).filter((word) => wanted.includes(word)) }))
  const rarity = (word: string) => 1 / own.filter(({ shared }) => shared.includes(word)).length
  const score = ({ shared }: { readonly shared: readonly string[] }) => shared.reduce((sum, word) => sum + rarity(word), 0)
  const similar = own
    .filter((each) => each.shared.length > 0 && !isReversal(meant.join('_'), each.words.join('_')))
    .toSorted((a, b) => score(b) - score(a))
  const verb = verbOf(written)
  const reads = verb === 'get' || verb === 'list' ? similar.filter(({ isRead }) => isRead) : []
  return (reads.length > 0 ? reads : similar).slice(0, maxSuggestions).map(({ tool }) => tool)
}
