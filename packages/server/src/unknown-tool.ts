import { isReversal } from '@mcp-toolkits/core/matching'
import { createSearch, isMisspelling, splitWords, stem } from '@mcp-toolkits/core/words'
import { type Listing, withoutPrefix } from './listing.ts'

/** What is said of a name that no offered tool has. */
export interface UnknownTool {
  /** In one sentence; undefined when no tool is close. */
  readonly text?: string
  readonly suggestions: readonly { readonly value: string; readonly confidence: number }[]
  /** Present where one tool is clearly meant. */
  readonly next?: { readonly tool: string }
}

/** Verbs that people use for each other. To archive something is not to delete it. */
const verbs = [
  'get fetch read show view retrieve describe load',
  'list search find query browse lookup',
  'create add new make post write insert',
  'update edit modify change set patch',
  'delete remove destroy trash erase',
  'archive',
].map((words) => words.split(' ').map(stem))
const [getVerb = [], listVerb = [], , , deleteVerb = [], archiveVerb = []] = verbs

/** Words that add nothing to the name of a tool. */
const fillers = new Set('a an the of to in on by for from with my all me mcp api tool'.split(' '))

const maxSuggestions = 3
const clear = 0.9
const near = 0.6

interface NamedTool {
  /** As it is advertised. */
  readonly advertised: string
  readonly name: string
}

/** Why a tool is not offered, and which one is meant: an option hides it, or others are like it in name and meaning. */
export function explainUnknownTool(name: string, prefix: string, listing: Listing): UnknownTool {
  const option = listing.hiddenBy(name)
  if (option === '--read-only') return { text: 'It writes, and this server was started with --read-only.', suggestions: [] }
  if (option === '--tools') return { text: 'This server was started with --tools, which leaves it out.', suggestions: [] }
  const tools = listing.tools.map((tool) => ({ ...tool, advertised: tool.name, name: withoutPrefix(tool.name, prefix) }))
  const written = withoutPrefixWords(name, prefix)
  const meant = findMeant(written, tools) ?? listing.spell(`${prefix}.${name}`)
  const others = findSimilar(written, tools).filter((each) => each !== meant)
  const suggestions = [
    ...(meant === undefined ? [] : [{ value: meant, confidence: clear }]),
    ...others.map((value) => ({ value, confidence: near })),
  ].slice(0, maxSuggestions)
  if (suggestions.length === 0) return { suggestions }
  const text = `Closest: ${suggestions.map(({ value }) => value).join(', ')}.`
  return { text, suggestions, ...(meant !== undefined && { next: { tool: meant } }) }
}

/** The words of a name without those of the server's prefix, however it is spelled: `event_pipeline_track`. */
function withoutPrefixWords(name: string, prefix: string): readonly string[] {
  const words = splitWords(name)
  const own = splitWords(prefix)
  const short = own.filter((word) => !fillers.has(word))
  const used = [own, short].find((each) => each.length < words.length && each.every((word, index) => words[index] === word))
  return used ? words.slice(used.length) : words
}

/** The only tool that a name clearly means: the same words, a synonym of the verb, or words that no other tool has together. */
function findMeant(written: readonly string[], tools: readonly NamedTool[]): string | undefined {
  const name = written.join('_')
  const possible = tools.filter((tool) => !isReversal(name, tool.name))
  const rules = [
    (tool: NamedTool) => splitWords(tool.name).join('') === written.join(''),
    (tool: NamedTool) => isSameAction(written, splitWords(tool.name)),
    (tool: NamedTool) => isMisspelling(name, tool.name),
    (tool: NamedTool) => isShortFor(written, splitWords(tool.name)),
  ]
  for (const rule of rules) {
    const found = possible.filter(rule)
    if (found.length > 0) return found.length === 1 ? found[0]?.advertised : undefined
  }
  return undefined
}

function isSameAction(written: readonly string[], name: readonly string[]): boolean {
  const [one, other] = [actionOf(written), actionOf(name)]
  return one.verb !== undefined && one.verb === other.verb && one.nouns.length > 0 && one.nouns === other.nouns
}

/** The verb as the group of its synonyms, and what it acts on, in any order. To get several things is to list them. */
function actionOf(words: readonly string[]) {
  const content = words.filter((word) => !fillers.has(word))
  const isVerb = (word: string) => verbs.some((group) => group.includes(stem(word)))
  const place = content.findIndex(isVerb)
  const group = verbs.find((each) => each.includes(stem(content[place] ?? '')))
  const nouns = content.filter((_, index) => index !== place)
  const isPlural = nouns.at(-1)?.endsWith('s') === true
  return { verb: group === getVerb && isPlural ? listVerb : group, nouns: nouns.map(stem).sort().join(' ') }
}

/** `track` for TrackUserEvent, `send_batch` for SendBatchRequests: the first word and perhaps more, or one word alone. */
function isShortFor(written: readonly string[], name: readonly string[]): boolean {
  const content = written.filter((word) => !fillers.has(word)).map(stem)
  const words = name.map(stem)
  const isPart = content.length > 0 && content.every((word) => words.includes(word))
  return isPart && (content.length === 1 || content.includes(words[0] ?? ''))
}

/** Tools that share the rarest words with a name. What somebody wants to delete may be archived. */
function findSimilar(written: readonly string[], tools: readonly (NamedTool & { readonly description: string })[]): string[] {
  const search = createSearch(tools.map((tool) => `${tool.name} ${tool.name} ${tool.description}`))
  const isDelete = (word: string) => deleteVerb.includes(stem(word))
  const wanted = written.map((word) => (isDelete(word) ? 'archive' : word)).join('_')
  const content = new Set(written.filter((word) => !fillers.has(word)).map(stem))
  return search(`${wanted} ${synonymsOf(written).join(' ')}`)
    .flatMap(({ index }) => tools[index] ?? [])
    .filter(({ name }) => !isReversal(wanted, name))
    .filter(({ name }) => splitWords(name).some((word) => content.has(stem(word)) || isRelated(word, written)))
    .slice(0, maxSuggestions)
    .map(({ advertised }) => advertised)
}

function isRelated(word: string, written: readonly string[]): boolean {
  const wantsArchive = written.some((each) => deleteVerb.includes(stem(each))) && archiveVerb.includes(stem(word))
  return wantsArchive || synonymsOf(written).includes(stem(word))
}

function synonymsOf(written: readonly string[]): string[] {
  const { verb } = actionOf(written)
  return [...(verb ?? [])]
}
