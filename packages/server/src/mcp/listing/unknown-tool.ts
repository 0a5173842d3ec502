import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { type Fit, fitOf, type ToolWish } from '@mcp-toolkits/core/tool'
import type { Loaders, ServerDefinition, ToolVocabulary } from '../definition.ts'
import { type HiddenTool, hiddenTools } from './hidden-tools.ts'
import { type Listing, withoutPrefix } from './listing.ts'
import { findMeant, findReading, findSimilar, hasSameWords, isPossible, type Name, namesOf } from './tool-names.ts'
import { actionOf, wordReader, type WordReader } from './tool-words.ts'

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

const maxSuggestions = 3
const clear = 0.9
const near = 0.6
/** Maximum characters of a call's arguments in which to look for wishes. */
const maxRead = 2_000

export type ExplainedServer = Pick<ServerDefinition<never>, 'prefix' | 'vendor' | 'toolsets' | 'listedTools'> & {
  readonly load: Pick<Loaders<never>, 'vocabulary' | 'tools'>
}

/** A call to an unknown or hidden tool. */
interface UnknownCall {
  /** The name without the server's prefix. */
  readonly name: string
  readonly written: readonly string[]
  readonly args: JsonObject
}

/** The server's tools, in the words of its callers. */
interface Known {
  readonly read: WordReader
  readonly vocabulary: ToolVocabulary
  readonly offered: readonly Name[]
  readonly hidden: readonly HiddenTool[]
  /** An offered tool's name as advertised. */
  readonly spell: (name: string) => string | undefined
  readonly tools: Loaders<never>['tools']
  /** Sentence on who does what no offered tool does; empty if no person could. */
  readonly otherwise: string
}

/**
 * Explains why a tool is not offered: what the call means in the words of callers, an option hides the tool, others are similar in name and
 * meaning, or no tool does this.
 */
export async function whyUnknown(
  { name: full, args }: { readonly name: string; readonly args?: unknown },
  definition: ExplainedServer,
  listing: Listing,
): Promise<UnknownTool> {
  const { prefix, load } = definition
  const name = withoutPrefix(full, prefix)
  const hidden = await hiddenTools(definition, listing)
  const option = listing.hiddenBy(full)
  const exact = hidden.find((each) => each.name === name)
  if (option !== undefined)
    return { text: (exact ?? hidden.find((each) => listing.hiddenBy(each.name) === option))?.reason ?? '', suggestions: [] }
  const known = knownTools(definition, listing, { hidden, vocabulary: (await load.vocabulary?.()) ?? {} })
  const call: UnknownCall = { name, written: known.read(name), args: isObject(args) ? args : {} }
  const wish = wishIn(call, known)
  if (exact) return inToolset(exact, wish, call, known)
  return wish ? await fulfil(wish, call.args, known) : meant(call, known)
}

function knownTools({ prefix, vendor, load }: ExplainedServer, listing: Listing, rest: Pick<Known, 'hidden' | 'vocabulary'>): Known {
  const read = wordReader(prefix, rest.vocabulary)
  const advertised = new Map(listing.tools.map((tool) => [withoutPrefix(tool.name, prefix), tool]))
  const offered = [...advertised].flatMap(([tool, { annotations }]) =>
    namesOf({ tool, isRead: annotations['readOnlyHint'] === true }, read, rest.vocabulary),
  )
  return {
    ...{ ...rest, read, offered, tools: load.tools, spell: (name) => advertised.get(name)?.name },
    // An API is no place for people.
    otherwise: vendor.startsWith('the ') ? '' : `Otherwise, a person can do it in ${vendor}.`,
  }
}

/**
 * The explanation of a tool in a toolset that is off, with offered tools that serve a part of the wish. Only a read-only tool is certain to
 * have no other effect, and only one that understands all arguments does the same.
 */
async function inToolset({ reason }: HiddenTool, wish: ToolWish | undefined, call: UnknownCall, known: Known): Promise<UnknownTool> {
  const [, says, tool, step] = wish?.[2] === undefined ? [] : wish
  const { text, mentioned } = tellable(says ?? '', known)
  const { next } = await meant(call, known)
  const other = known.offered.find((each) => each.isRead && known.spell(each.tool) === next?.tool)
  const same = await understanding(call.args, known.offered, known)
  if (other && next && same.some((each) => each.tool === other.tool))
    return { text: `${reason} ${next.tool} does the same.`, suggestions: [{ value: next.tool, confidence: clear }], next }
  const instead = known.offered.find((each) => each.isRead && each.tool === tool)
  const [given, spelled] = [instead && step?.(call.args), known.spell(tool ?? '')]
  if (given && spelled !== undefined)
    return { text: `${reason} ${spelled} can do this, too.`, suggestions: suggest([], spelled), next: { tool: spelled, arguments: given } }
  const others = [other?.tool, tool].flatMap((each) => known.spell(each ?? '') ?? [])
  return { text: mentioned.length > 0 ? `${reason} ${text}` : reason, suggestions: suggest([...others, ...mentioned]) }
}

/** The wish that a call expresses by its name, or by its name and arguments: "delete issue: {…}". */
function wishIn({ written, args }: UnknownCall, { offered, vocabulary: { wishes = [] } }: Known): ToolWish | undefined {
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
async function fulfil([, says, name, step]: ToolWish, args: JsonObject, known: Known): Promise<UnknownTool> {
  const tool = name === undefined ? undefined : known.spell(name)
  const { text, mentioned } = tellable(says, known)
  if (name !== undefined && tool === undefined) {
    // The only other tool does it as well if it understands all that was given.
    const [only, ...more] = mentioned
    const ready = more.length === 0 ? await understanding(args, known.offered, known) : []
    const isReady = only !== undefined && ready.some((each) => known.spell(each.tool) === only)
    return { text: absent([name], known, text), suggestions: suggest(mentioned), ...(isReady && { next: { tool: only } }) }
  }
  const given = step?.(args)
  const isMeant = tool !== undefined && (step === undefined || given !== undefined)
  return {
    ...(text !== '' && { text }),
    suggestions: isMeant ? suggest(mentioned, tool) : suggest(tool === undefined ? mentioned : [tool, ...mentioned]),
    ...(isMeant && { next: { tool, ...(given && { arguments: given }) } }),
  }
}

/** Tools as suggestions, after the one that is clearly meant. */
function suggest(tools: readonly string[], first?: string): UnknownTool['suggestions'] {
  const all = [...new Set([...(first === undefined ? [] : [first]), ...tools])].slice(0, maxSuggestions)
  return all.map((value) => ({ value, confidence: value === first ? clear : near }))
}

/** The sentences that mention no hidden tool, with the tools in them spelled as the server advertises them. */
function tellable(says: string, { offered, hidden, spell }: Known): { readonly text: string; readonly mentioned: readonly string[] } {
  const names = new Set([...offered.map(({ tool }) => tool), ...hidden.map(({ name }) => name)])
  const mentionsIn = (text: string) => (text.match(/\b[A-Z][A-Za-z]+\b/g) ?? []).filter((word) => names.has(word))
  const sentences = says.split(/(?<=\.) /).filter((text) => mentionsIn(text).every((name) => spell(name) !== undefined))
  const mentioned = sentences.flatMap(mentionsIn).flatMap((name) => spell(name) ?? [])
  return { text: sentences.join(' ').replace(/\b[A-Z][A-Za-z]+\b/g, (word) => spell(word) ?? word), mentioned }
}

/** Names the hidden tools that would do it and the reasons why they are hidden, and says what else to do. */
function absent(tools: readonly string[], { hidden, otherwise }: Known, more = ''): string {
  const byReason = Map.groupBy(
    hidden.filter(({ name }) => tools.includes(name)),
    ({ reason }) => reason,
  )
  const texts = [...byReason].map(([reason, same]) => `${same.map(({ name }) => name).join(' or ')} does this. ${reason}`)
  return [...texts, more, otherwise].filter(Boolean).join(' ')
}

/** The tool that is meant by its name, or by its name and arguments. */
async function meant({ written, args }: UnknownCall, known: Known): Promise<UnknownTool> {
  const { read, offered, hidden, vocabulary, spell } = known
  const named = findMeant(written, offered)
  const names = hidden.flatMap(({ name: tool }) => namesOf({ tool, isRead: false }, read, vocabulary))
  const unavailable = named.length > 0 ? [] : findMeant(written, names)
  const possible = named.length > 0 || unavailable.length > 0 ? named : findReading(written, offered)
  const only = possible.length > 1 ? await fitting(possible, args, known) : possible[0]
  const tool = only && spell(only.tool)
  const others = [...possible.map((each) => each.tool), ...findSimilar(written, offered).slice(0, maxSuggestions)].flatMap(
    (each) => spell(each) ?? [],
  )
  if (only && tool !== undefined) return { suggestions: suggest(others, tool), ...nextStep(only, tool, args) }
  if (unavailable.length > 0)
    return {
      text: absent(
        unavailable.map((each) => each.tool),
        known,
      ),
      suggestions: [],
    }
  const { verb } = actionOf(written)
  if (possible.length > 0 || verb === undefined) return { suggestions: suggest(others) }
  if (others.length > 0) return { text: 'No tool here does exactly this.', suggestions: suggest(others) }
  const ready = await understanding(
    args,
    offered.filter((each) => isPossible(verb, each)),
    known,
  )
  const text = ready.length > 0 ? 'No tool here does exactly this.' : 'No tool of this server does this.'
  return { text, suggestions: suggest(ready.flatMap((each) => spell(each.tool) ?? [])) }
}

/** The tools that understand all arguments, and lack none. */
async function understanding(args: JsonObject, names: readonly Name[], known: Known): Promise<readonly Name[]> {
  const tools = Object.keys(args).length > 0 ? await known.tools() : []
  const isReady = ({ unknown, missing }: Fit) => unknown === 0 && missing === 0
  return names.filter(({ tool, isOwn }) => isOwn && tools.some((each) => each.name === tool && isReady(fitOf(each, args))))
}

/** The only tool that understands the most arguments, and lacks none unless it only reads; undefined if several do. */
async function fitting(possible: readonly Name[], args: JsonObject, known: Known): Promise<Name | undefined> {
  const tools = await known.tools()
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
function nextStep({ implied }: Name, tool: string, args: JsonObject): Pick<UnknownTool, 'next'> {
  const given = Object.entries(implied).filter(([name]) => args[name] !== undefined)
  if (given.some(([name, value]) => args[name] !== value)) return {}
  return { next: { tool, ...(Object.keys(implied).length > given.length && { change: implied }) } }
}
