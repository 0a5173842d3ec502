import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling, isReversal, stem } from '@mcp-toolkits/core/references'
import { type Fit, fitOf, type ToolWish, withImplied } from '@mcp-toolkits/core/tool'
import type { Loaders, ServerDefinition, ToolVocabulary } from '../definition.ts'
import { type HiddenTool, hiddenTools } from './hidden-tools.ts'
import { type Listing, withoutPrefix } from './listing.ts'
import { type Action, actionOf, hasSameThings, isSameVerb, withoutNamespace, wordReader } from './tool-words.ts'

/** The error for a name that no offered tool has. */
export interface UnknownTool {
  /** Sentences on what the server cannot do, and what to do instead; undefined if there is nothing to say but the suggestions. */
  readonly text?: string
  readonly suggestions: readonly { readonly value: string; readonly confidence: number }[]
  /** Present if one tool is clearly meant, with the arguments that the written name implies, or with all arguments. */
  readonly next?: { readonly tool: string; readonly change?: JsonObject; readonly arguments?: JsonObject }
}

/** The whole explanation, with the suggestions that it does not mention. */
export function explanation({ text, suggestions }: UnknownTool): string | undefined {
  const others = suggestions.map(({ value }) => value).filter((value) => text?.includes(value) !== true)
  const parts = [text, others.length > 0 && `Closest: ${others.join(', ')}.`].filter(Boolean)
  return parts.length > 0 ? parts.join(' ') : undefined
}

/** A call to an unknown or hidden tool. */
interface UnknownCall {
  readonly name: string
  readonly args?: unknown
}

const maxSuggestions = 3
const clear = 0.9
const near = 0.6
/** Maximum characters of a call's arguments in which to look for wishes. */
const maxRead = 2_000

/** A tool's name, its own or one that callers use, with the arguments that it implies. */
interface Name {
  /** The tool's own name, without the prefix. */
  readonly tool: string
  readonly isRead: boolean
  readonly isOwn: boolean
  readonly words: readonly string[]
  readonly implied: JsonObject
}

export type ExplainedServer = Pick<ServerDefinition<never>, 'prefix' | 'vendor' | 'toolsets' | 'listedTools'> & {
  readonly load: Pick<Loaders<never>, 'vocabulary' | 'tools'>
}

/** The server's tools, in the words of its callers. */
interface Known {
  readonly read: (name: string) => readonly string[]
  readonly vocabulary: ToolVocabulary
  readonly offered: readonly Name[]
  readonly hidden: readonly HiddenTool[]
  readonly spell: (name: string) => string | undefined
  /** Sentence on who does what no offered tool does; empty if no person could. */
  readonly otherwise: string
}

/**
 * Explains why a tool is not offered: what the call means in the words of callers, an option hides the tool, others are similar in name and
 * meaning, or no tool does this.
 */
export async function whyUnknown(call: UnknownCall, definition: ExplainedServer, listing: Listing): Promise<UnknownTool> {
  const { prefix, vendor, load } = definition
  const own = withoutPrefix(call.name, prefix)
  const option = listing.hiddenBy(call.name)
  const hidden = await hiddenTools(definition, listing)
  const exact = hidden.find(({ name }) => name === own)
  if (option !== undefined)
    return { text: (exact ?? hidden.find(({ name }) => listing.hiddenBy(name) === option))?.reason ?? '', suggestions: [] }
  const vocabulary = (await load.vocabulary?.()) ?? {}
  const read = wordReader(prefix, vocabulary)
  const offered = listing.tools.map(({ name, annotations }) => ({
    name: withoutPrefix(name, prefix),
    advertised: name,
    isRead: annotations['readOnlyHint'] === true,
  }))
  const spelled = new Map(offered.map(({ name, advertised }) => [name, advertised]))
  const known: Known = {
    read,
    vocabulary,
    offered: offered.flatMap((tool) => namesOf(tool, read, vocabulary)),
    hidden,
    spell: (name) => spelled.get(name),
    // An API is no place for people.
    otherwise: vendor.startsWith('the ') ? '' : `Otherwise, a person can do it in ${vendor}.`,
  }
  const args = isObject(call.args) ? call.args : {}
  if (exact) {
    const same = await understanding(args, known.offered, load)
    return inToolset(exact, await meant(own, args, known, load), { ...known, same })
  }
  const wish = wishIn(own, args, known)
  return wish ? fulfil(wish, args, known) : await meant(own, args, known, load)
}

function namesOf(
  { name, isRead }: { readonly name: string; readonly isRead: boolean },
  read: Known['read'],
  { names = {} }: ToolVocabulary,
): Name[] {
  const all = [[name, {}] as const, ...withImplied(names[name] ?? [])]
  return all.map(([text, implied], index) => ({ tool: name, isRead, isOwn: index === 0, words: read(text), implied }))
}

/**
 * The explanation of a tool in a toolset that is off. Only a read-only tool is certain to have no other effect, and only one that understands
 * all arguments does the same.
 */
function inToolset({ reason }: HiddenTool, { next }: UnknownTool, known: Known & { readonly same: readonly Name[] }): UnknownTool {
  const other = known.offered.find(({ tool, isRead }) => isRead && known.spell(tool) === next?.tool)
  if (!other || !next) return { text: reason, suggestions: [] }
  return known.same.some(({ tool }) => tool === other.tool)
    ? { text: `${reason} ${next.tool} does the same.`, suggestions: [{ value: next.tool, confidence: clear }], next }
    : { text: reason, suggestions: suggest([next.tool]) }
}

/** The wish that a call expresses by its name, or by its name and arguments: "delete issue: {…}". */
function wishIn(name: string, args: JsonObject, { read, offered, vocabulary: { wishes = [] } }: Known): ToolWish | undefined {
  const written = read(name)
  const { verb = '', things } = actionOf(written)
  const spoken = (said: JsonObject) => `${[verb, ...things].join(' ').trim()}: ${JSON.stringify(said).slice(0, maxRead)}`
  // A name for an offered tool means that tool, unless the arguments say something else.
  const isKnown = offered.some((each) => hasSameWords(written, each))
  return wishes.find(
    ([asks, says, , step]) =>
      asks.test(spoken(args)) &&
      !(isKnown && asks.test(spoken({}))) &&
      // A wish without a text is only the tool that fulfils it.
      (says !== '' || step === undefined || step(args) !== undefined),
  )
}

/** Says how to fulfil a wish, or that no tool does. */
function fulfil([, says, name, step]: ToolWish, args: JsonObject, known: Known): UnknownTool {
  const tool = name === undefined ? undefined : known.spell(name)
  const { text, mentioned } = tellable(says, known)
  if (name !== undefined && tool === undefined)
    return {
      ...absent(
        known.hidden.filter((each) => each.name === name),
        [text, known.otherwise],
      ),
      suggestions: suggest(mentioned),
    }
  const given = step?.(args)
  const isMeant = tool !== undefined && (step === undefined || given !== undefined)
  const others = mentioned.filter((each) => each !== tool)
  return {
    ...(text !== '' && { text }),
    suggestions: [...(tool === undefined ? [] : [{ value: tool, confidence: isMeant ? clear : near }]), ...suggest(others)],
    ...(isMeant && { next: { tool, ...(given && { arguments: given }) } }),
  }
}

const suggest = (tools: readonly string[]) => [...new Set(tools)].slice(0, maxSuggestions).map((value) => ({ value, confidence: near }))

/** The sentences that mention no hidden tool, with the tools in them spelled as the server advertises them. */
function tellable(says: string, { offered, hidden, spell }: Known): { readonly text: string; readonly mentioned: readonly string[] } {
  const names = new Set([...offered, ...hidden].map((each) => ('tool' in each ? each.tool : each.name)))
  const mentionsIn = (text: string) => (text.match(/\b[A-Z][A-Za-z]+\b/g) ?? []).filter((word) => names.has(word))
  const sentences = says.split(/(?<=\.) /).filter((text) => mentionsIn(text).every((name) => spell(name) !== undefined))
  const mentioned = sentences.flatMap(mentionsIn).flatMap((name) => spell(name) ?? [])
  const text = sentences.join(' ').replace(/\b[A-Z][A-Za-z]+\b/g, (word) => (names.has(word) ? (spell(word) ?? word) : word))
  return { text, mentioned }
}

/** Names the hidden tools that would do it, and the reason why they are hidden. */
function absent(tools: readonly HiddenTool[], more: readonly string[]): Pick<UnknownTool, 'text'> {
  const reasons = [...new Set(tools.map(({ reason }) => reason))]
  const texts = reasons.map((reason) => {
    const names = tools.filter((each) => each.reason === reason).map(({ name }) => name)
    return `${names.join(' or ')} does this. ${reason}`
  })
  return { text: [...texts, ...more].filter(Boolean).join(' ') }
}

/** The tool that is meant by its name, or by its name and arguments. */
async function meant(name: string, args: JsonObject, known: Known, load: ExplainedServer['load']): Promise<UnknownTool> {
  const { read, offered, hidden, vocabulary, spell, otherwise } = known
  const written = read(name)
  const exact = findMeant(written, offered)
  const named = exact.length > 0 ? exact : findMeant(withoutNamespace(written) ?? [], offered)
  const names = hidden.flatMap((each) => namesOf({ name: each.name, isRead: false }, read, vocabulary))
  const meantHidden = named.length > 0 ? [] : findMeant(written, names)
  const possible = named.length > 0 || meantHidden.length > 0 ? named : findReading(written, offered)
  const only = possible.length > 1 ? await fitting(possible, args, load) : possible[0]
  const others = [...possible.map(({ tool }) => tool), ...findSimilar(written, offered)].flatMap((each) => spell(each) ?? [])
  const tool = only && spell(only.tool)
  if (only && tool !== undefined)
    return {
      suggestions: [{ value: tool, confidence: clear }, ...suggest(others.filter((each) => each !== tool))].slice(0, maxSuggestions),
      ...nextStep(only, tool, args),
    }
  if (meantHidden.length > 0)
    return {
      ...absent(
        hidden.filter((each) => meantHidden.some(({ tool: other }) => other === each.name)),
        [otherwise],
      ),
      suggestions: [],
    }
  const { verb } = actionOf(written)
  const isSaid = possible.length === 0 && verb !== undefined
  const ready =
    isSaid && others.length === 0
      ? await understanding(
          args,
          offered.filter((each) => isPossible(verb, each)),
          load,
        )
      : []
  const close = [...others, ...ready.flatMap(({ tool: each }) => spell(each) ?? [])]
  return {
    ...(isSaid && { text: close.length > 0 ? 'No tool here does exactly this.' : 'No tool of this server does this.' }),
    suggestions: suggest(close),
  }
}

/** The tools that understand all arguments, and lack none. */
async function understanding(args: JsonObject, names: readonly Name[], load: ExplainedServer['load']): Promise<readonly Name[]> {
  const tools = Object.keys(args).length > 0 ? await load.tools() : []
  const isReady = ({ unknown, missing }: Fit) => unknown === 0 && missing === 0
  return names.filter(({ tool, isOwn }) => isOwn && tools.some((each) => each.name === tool && isReady(fitOf(each, args))))
}

/** The only tool that understands the most arguments, and lacks none unless it only reads; undefined if several do. */
async function fitting(possible: readonly Name[], args: JsonObject, load: ExplainedServer['load']): Promise<Name | undefined> {
  const tools = await load.tools()
  const fits = possible.flatMap((name) =>
    tools.filter((tool) => tool.name === name.tool).map((tool) => ({ name, ...fitOf(tool, { ...name.implied, ...args }) })),
  )
  const least = Math.min(...fits.map(({ unknown }) => unknown))
  const best = fits.filter(({ unknown }) => unknown === least)
  const ready = best.filter(({ missing }) => missing === 0)
  const [only, ...others] = best.length === 1 && least === 0 && best[0]?.name.isRead === true ? best : ready
  return others.length === 0 ? only?.name : undefined
}

/** The corrected call. An argument implied by a name never replaces the caller's own; if they differ, nothing is proposed. */
function nextStep({ implied }: Pick<Name, 'implied'>, tool: string, args: JsonObject): Pick<UnknownTool, 'next'> {
  const given = Object.entries(implied).filter(([name]) => args[name] !== undefined)
  if (given.some(([name, value]) => args[name] !== value)) return {}
  return { next: { tool, ...(Object.keys(implied).length > given.length && { change: implied }) } }
}

/** The clearly intended names, one per tool: the same words, the same action on the same thing, or a misspelling. */
function findMeant(written: readonly string[], names: readonly Name[]): readonly Name[] {
  const possible = names.filter((each) => !isReversal(written.join('_'), each.words.join('_')))
  const action = actionOf(written)
  const rules = [
    (each: Name) => hasSameWords(written, each),
    (each: Name) => hasSameAction(action, each),
    (each: Name) =>
      each.isOwn && isSameVerb(action.verb, actionOf(each.words).verb) && isMisspelling(written.join('_'), each.words.join('_')),
  ]
  return onePerTool(rules.map((rule) => possible.filter(rule)).find(({ length }) => length > 0) ?? [])
}

const onePerTool = (names: readonly Name[]) => names.filter(({ tool }, index) => names.findIndex((other) => other.tool === tool) === index)

/** True for a name of the same words, in any order. */
const hasSameWords = (written: readonly string[], { words }: Name) =>
  words.join('') === written.join('') || words.toSorted().join() === written.toSorted().join()

/** The tools that list what a name gets, or get what it lists. */
function findReading(written: readonly string[], names: readonly Name[]): readonly Name[] {
  const action = actionOf(written)
  const isReading = ({ verb }: Action) => verb === 'get' || verb === 'list'
  const isSame = ({ isRead, words }: Name) => isRead && isReading(actionOf(words)) && hasSameThings(action, actionOf(words))
  return isReading(action) ? onePerTool(names.filter(isSame)) : []
}

/** True if both names mean the same action on the same thing. Only in a tool's own name does "add" mean "create". */
function hasSameAction(action: Action, { words, isOwn }: Name): boolean {
  const other = actionOf(words)
  const verb = (each: Action) => (isOwn && each.verb === 'add' ? 'create' : each.verb)
  return isSameVerb(verb(action), verb(other)) && hasSameThings(action, other)
}

/** Tools that share the rarest words with a name, and whose verb could be meant. */
function findSimilar(written: readonly string[], names: readonly Name[]): string[] {
  const action = actionOf(written)
  // A caller who wants to delete something may want to archive it.
  const wished = action.verb === 'delete' ? 'archive' : action.verb
  const wanted = action.things.map(stem)
  const own = names
    .filter(({ isOwn, words }) => isOwn && !isReversal([wished, ...wanted].join('_'), words.join('_')))
    .map((each) => ({
      ...each,
      shared: actionOf(each.words)
        .things.map(stem)
        .filter((word) => wanted.includes(word)),
    }))
    .filter((each) => each.shared.length > 0 && isPossible(wished, each))
  const rarity = (word: string) => 1 / own.filter(({ shared }) => shared.includes(word)).length
  const score = ({ shared }: { readonly shared: readonly string[] }) => shared.reduce((sum, word) => sum + rarity(word), 0)
  return own
    .toSorted((a, b) => score(b) - score(a))
    .slice(0, maxSuggestions)
    .map(({ tool }) => tool)
}

/** True if a tool could do part of what a verb asks. */
function isPossible(wished: string | undefined, { isRead, words }: Name): boolean {
  if (wished === undefined) return true
  if (wished === 'get' || wished === 'list') return isRead
  const { verb } = actionOf(words)
  return /^(?:add|create|update|save)$/.test(wished)
    ? !isRead && (verb === undefined || /^(?:add|create|update|save|rename|move)$/.test(verb))
    : verb === wished
}
