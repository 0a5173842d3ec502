import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { createSearch, isMisspelling, isReversal, splitWords, stem } from '@mcp-toolkits/core/references'
import { withImplied, words } from '@mcp-toolkits/core/tool'
import type { ToolVocabulary } from '../definition.ts'
import { type AdvertisedTool, type Listing, withoutPrefix } from './listing.ts'

/** What an error says about a name that no offered tool has. */
export interface UnknownTool {
  /** In one sentence; undefined when no tool is close. */
  readonly text?: string
  readonly suggestions: readonly { readonly value: string; readonly confidence: number }[]
  /** Present where one tool is clearly meant, with what its other name says about the arguments. */
  readonly next?: { readonly tool: string; readonly change?: JsonObject }
}

/** A call of a name that no offered tool has. */
interface UnknownCall {
  readonly name: string
  readonly args?: unknown
}

/** Verbs that people use for each other. To archive something is not to delete it. */
const verbs = [
  'get fetch read show view retrieve describe load',
  'list search find query browse lookup',
  'create add new make post write insert',
  'update edit modify change set patch',
  'delete remove destroy trash erase',
  'archive',
].map((group) => words(group).map(stem))
const [getVerb = [], listVerb = [], , , deleteVerb = [], archiveVerb = []] = verbs

/** Words that add nothing to the name of a tool. */
const fillers = new Set(words('a an the of to in on by for from with all mcp api tool details info one single'))

/** Words for facts about a thing, which are not its content. */
const details = words('details info')

/** Words before the name of a product. */
const places = new Set(['in', 'on', 'from', 'with', 'via', 'of', 'for'])

const maxSuggestions = 3
const clear = 0.9
const near = 0.6

interface NamedTool {
  /** As it is advertised. */
  readonly advertised: string
  readonly name: string
  /** What callers call it, with the arguments that this implies; its own name is the first. */
  readonly names: readonly (readonly [name: string, implied: JsonObject])[]
}

type ComparedTool = NamedTool & Pick<AdvertisedTool, 'description' | 'annotations'>

/** Why a tool is not offered, and which one is meant: an option hides it, or others are like it in name and meaning. */
export function explainUnknownTool(
  { name, args }: UnknownCall,
  { prefix, vocabulary = {} }: { readonly prefix: string; readonly vocabulary?: ToolVocabulary | undefined },
  listing: Listing,
): UnknownTool {
  const option = listing.hiddenBy(name)
  if (option === '--read-only') return { text: 'It writes, and this server was started with --read-only.', suggestions: [] }
  if (option === '--tools') return { text: 'This server was started with --tools, which leaves it out.', suggestions: [] }
  const tools = listing.tools.map((tool) => {
    const own = withoutPrefix(tool.name, prefix)
    return { ...tool, advertised: tool.name, name: own, names: namesOf(own, vocabulary) }
  })
  const written = inOwnWords(withoutPrefixWords(name, prefix), vocabulary)
  const spelled = listing.spell(`${prefix}.${name}`)
  const possible = findMeant(written, tools)
  const [only, ...rivals] = possible.length === 0 && spelled !== undefined ? [{ tool: spelled, implied: {} }] : possible
  const meant = rivals.length === 0 ? only : undefined
  const others = [...possible.map(({ tool }) => tool), ...findSimilar(written, tools)].filter((each) => each !== meant?.tool)
  const suggestions = [
    ...(meant === undefined ? [] : [{ value: meant.tool, confidence: clear }]),
    ...[...new Set(others)].map((value) => ({ value, confidence: near })),
  ].slice(0, maxSuggestions)
  const missing = possible.length > 0 ? undefined : describeMissing(written, tools)
  if (suggestions.length === 0) return { ...(missing !== undefined && { text: missing }), suggestions }
  const closest = `Closest: ${suggestions.map(({ value }) => value).join(', ')}.`
  const text = missing === undefined ? closest : `${missing} ${closest}`
  return { text, suggestions, ...(meant !== undefined && nextStep(meant, args)) }
}

/** "No tool here deletes files.", where a name is a verb and its object and no tool shares both. */
function describeMissing(written: readonly string[], tools: readonly NamedTool[]): string | undefined {
  const [verb = '', ...nouns] = written
  const isPlain = verbGroupOf(verb) !== undefined && nouns.length > 0 && nouns.length <= maxNouns
  if (!isPlain || written.some((word) => fillers.has(word) || !/^[a-z]+$/.test(word))) return undefined
  const hasSame = tools.some(({ names }) =>
    names.some(([each], index) => isSameAction(written, splitWords(each)) && (index === 0 || isSameAddition(written, splitWords(each)))),
  )
  if (hasSame) return undefined
  return `No tool here ${inThirdPerson(verb)} ${[...nouns.slice(0, -1), inPlural(nouns.at(-1) ?? '')].join(' ')}.`
}

/** Longer names say more than a verb and its object. */
const maxNouns = 2

function inThirdPerson(verb: string): string {
  if (verb === 'new') return 'creates'
  return /(?:s|x|ch|sh)$/.test(verb) ? `${verb}es` : verb.replace(/(?<![aeiou])y$/, 'ie').concat('s')
}

function inPlural(noun: string): string {
  if (noun === 'person') return 'people'
  return noun.endsWith('s') ? noun : noun.replace(/(?<![aeiou])y$/, 'ie').concat('s')
}

function namesOf(name: string, { names = {} }: ToolVocabulary): NamedTool['names'] {
  return [[name, {}], ...withImplied(names[name] ?? [])]
}

/** The corrected call. What a name implies never replaces what the caller wrote; where they differ, nothing is proposed. */
function nextStep({ tool, implied }: MeantTool, args: unknown): Pick<UnknownTool, 'next'> {
  const given = Object.entries(implied).filter(([name]) => isObject(args) && args[name] !== undefined)
  if (given.some(([name, value]) => isObject(args) && args[name] !== value)) return {}
  return { next: { tool, ...(Object.keys(implied).length > given.length && { change: implied }) } }
}

/** Words of a name in the words of the tools' names, without what adds nothing and what follows "by". */
function inOwnWords(written: readonly string[], { words: synonyms = {}, fillers: own = [] }: ToolVocabulary): readonly string[] {
  const known = new Map(Object.entries(synonyms).flatMap(([word, list]) => list.flatMap((other) => formsOf(other, word))))
  const by = written.indexOf('by')
  const before = by > 0 ? written.slice(0, by) : written
  const kept = before.filter((word, index) => !own.includes(word) || isObjectOf(before, index, own))
  // The product goes with the word before it: `in drive`.
  const content = kept.at(-1) !== before.at(-1) && places.has(kept.at(-1) ?? '') ? kept.slice(0, -1) : kept
  return (content.length > 0 ? content : written).map((word) => known.get(word) ?? word)
}

/** Whether a word of the product is what the verb acts on: the drive in `rename_drive`, not in `search_drive` or `create_file_in_drive`. */
function isObjectOf(words: readonly string[], index: number, own: readonly string[]): boolean {
  const before = words.slice(0, index).filter((word) => !own.includes(word))
  const isLast = words.slice(index + 1).every((word) => own.includes(word))
  const [last = ''] = before.slice(-1)
  if (!isLast || before.length === 0 || places.has(last)) return false
  return last === 'to' || (before.length === 1 && verbGroupOf(last) !== listVerb)
}

/** A synonym in the singular and in the plural. */
function formsOf(other: string, word: string): (readonly [string, string])[] {
  const plurals = [`${other}s`, `${other}es`, other.replace(/y$/, 'ies')].filter((plural) => plural !== other)
  return [...plurals.map((plural) => [plural, `${word}s`] as const), [other, word]]
}

/** The words of a name without those of the server's prefix, however it is spelled: `event_pipeline_track`. */
function withoutPrefixWords(name: string, prefix: string): readonly string[] {
  const words = splitWords(name)
  const own = splitWords(prefix)
  const short = own.filter((word) => !fillers.has(word))
  const used = [own, short].find((each) => each.length < words.length && each.every((word, index) => words[index] === word))
  return used ? words.slice(used.length) : words
}

interface MeantTool {
  readonly tool: string
  readonly implied: JsonObject
}

/** The tools that a name clearly means, usually one: the same words, a synonym of the verb, or words that no other tool has together. */
function findMeant(written: readonly string[], tools: readonly NamedTool[]): readonly MeantTool[] {
  const name = written.join('_')
  const possible = tools.flatMap(({ advertised, names }) =>
    names.flatMap(([each, implied], index) =>
      isReversal(name, each) || changesMeaning(written, splitWords(each), index === 0)
        ? []
        : [{ tool: advertised, name: each, implied, isOwn: index === 0 }],
    ),
  )
  type Possible = (typeof possible)[number]
  const rules = [
    (each: Possible) => splitWords(each.name).join('') === written.join(''),
    (each: Possible) => isSameAction(written, splitWords(each.name)) && (each.isOwn || isSameAddition(written, splitWords(each.name))),
    (each: Possible) => !each.isOwn && hasSameWords(written, splitWords(each.name)),
    (each: Possible) => each.isOwn && isMisspelling(name, each.name) && !hasOtherVerb(written, splitWords(each.name)),
    (each: Possible) => each.isOwn && !details.some((word) => written.includes(word)) && isShortFor(written, splitWords(each.name)),
  ]
  for (const rule of rules) {
    const found = possible.filter(rule)
    if (found.length > 0) return found.filter(({ tool }, index) => found.findIndex((other) => other.tool === tool) === index)
  }
  return []
}

/** Whether a name has a word that adds nothing to most names, but here says what the other name does not. */
function changesMeaning(written: readonly string[], name: readonly string[], isOwn: boolean): boolean {
  const adds = (...words: readonly string[]) => words.some((word) => written.includes(word) && !name.includes(word))
  const { verb } = actionOf(written)
  const isRead = verb === getVerb || verb === listVerb
  if (adds(...details) && !isOwn) return true
  if (adds('with') || (adds('all') && !isRead)) return true
  // `log_user_in` and `log_in_user` log nothing.
  const isParticle = written.at(-1) === 'in' || (written[1] === 'in' && !isRead)
  return isParticle && adds('in')
}

/** Whether both begin with verbs, and not with ones that people use for each other. */
function hasOtherVerb([first = '']: readonly string[], [other = '']: readonly string[]): boolean {
  const [one, two] = [verbGroupOf(first), verbGroupOf(other)]
  return one !== undefined && two !== undefined && one !== two
}

function verbGroupOf(word: string): readonly string[] | undefined {
  return verbs.find((group) => group.includes(stem(word)))
}

function isSameAction(written: readonly string[], name: readonly string[]): boolean {
  const [one, other] = [actionOf(written), actionOf(name)]
  return one.verb !== undefined && one.verb === other.verb && one.nouns.length > 0 && one.nouns === other.nouns
}

/** The same words in any order and number, without fillers: `events_batch` for "batch event". */
function hasSameWords(written: readonly string[], name: readonly string[]): boolean {
  const [one, other] = [written, name].map((words) =>
    words
      .filter((word) => !fillers.has(word))
      .map(stem)
      .sort()
      .join(' '),
  )
  return one === other && one !== ''
}

/** To add a label to something is not to create a label. */
function isSameAddition(written: readonly string[], name: readonly string[]): boolean {
  return written.includes('add') === name.includes('add')
}

/** The verb as the group of its synonyms, and what it acts on, in any order. To get several things is to list them. */
function actionOf(words: readonly string[]) {
  const content = words.filter((word) => !fillers.has(word))
  const place = content.findIndex((word) => verbGroupOf(word) !== undefined)
  const group = verbGroupOf(content[place] ?? '')
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

/** Tools that share the rarest words with a name. What somebody wants to delete may be archived; what reads is not answered with writes. */
function findSimilar(written: readonly string[], tools: readonly ComparedTool[]): string[] {
  const search = createSearch(tools.map((tool) => `${tool.name} ${tool.name} ${tool.description}`))
  const isDelete = (word: string) => deleteVerb.includes(stem(word))
  const wanted = written.map((word) => (isDelete(word) ? 'archive' : word)).join('_')
  const content = new Set(written.filter((word) => !fillers.has(word)).map(stem))
  const similar = search(`${wanted} ${synonymsOf(written).join(' ')}`)
    .flatMap(({ index }) => tools[index] ?? [])
    .filter(({ name }) => !isReversal(wanted, name))
    .filter(({ name }) => splitWords(name).some((word) => content.has(stem(word)) || isRelated(word, written)))
  const { verb } = actionOf(written)
  const reading = verb === getVerb || verb === listVerb ? similar.filter(({ annotations }) => annotations['readOnlyHint'] === true) : []
  return (reading.length > 0 ? reading : similar).slice(0, maxSuggestions).map(({ advertised }) => advertised)
}

function isRelated(word: string, written: readonly string[]): boolean {
  const wantsArchive = written.some((each) => deleteVerb.includes(stem(each))) && archiveVerb.includes(stem(word))
  return wantsArchive || synonymsOf(written).includes(stem(word))
}

function synonymsOf(written: readonly string[]): string[] {
  const { verb } = actionOf(written)
  return [...(verb ?? [])]
}
