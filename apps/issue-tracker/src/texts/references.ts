import { joinWords, quote } from '@mcp-toolkits/core/errors'
import type { Mentionable } from '../linear/text-references.ts'
import { placesIn } from './places.ts'

/** People and issues that texts refer to. */
export interface TextReferences {
  readonly people: readonly Mentionable[]
  /** True if the lookup may have missed people whose names begin with a name in the texts and the word after it. */
  readonly hasMore: boolean
  /** Issue URLs, by identifier. */
  readonly issues: ReadonlyMap<string, string>
}

/** Text with its references in Linear's form, and the meaning of each "@" in it. */
export interface LinkedText {
  readonly text: string
  readonly mentioned: readonly Mentionable[]
  /** Names that do not mention anyone. */
  readonly plain: readonly string[]
  /** The plain names that match a person but, with the next word, may be someone else's name. */
  readonly openEnded: readonly string[]
}

/** The URL in a mention works only if it stands alone. */
const startsAddress = /(?:^|[\s(*_~])$/
const endsAddress = /^[.,;:!?)*_~]*(?:\s|$)/
const continuesName = /^(?:[\p{L}\p{N}/@]|[._-]+[\p{L}\p{N}])/u

/**
 * Turns `@name` into the person's URL, which Linear reads as a mention, and identifiers into links. Anything uncertain stays
 * unchanged. https://github.com/linear/linear/issues/351
 */
export function linkText(text: string, { people, hasMore, issues }: TextReferences): LinkedText {
  const mentioned: Mentionable[] = []
  const plain: string[] = []
  const openEnded: string[] = []
  let [linked, end] = ['', 0]
  const put = (index: number, length: number, replacement: string) => {
    linked += text.slice(end, index) + replacement
    end = index + length
  }
  for (const place of placesIn(text)) {
    if (place.kind === 'page') put(place.index, 0, 'https://')
    const url = issues.get(place.text)
    if (place.kind === 'issue' && url !== undefined) put(place.index, place.text.length, `[${place.text}](${url})`)
    if (place.kind !== 'name') continue
    const person = personAt(text, place.index + 1, people)
    // A single word may be the start of someone else's full name.
    const isOpenEnded = hasMore && place.longer !== undefined && person?.length === place.text.length - 1
    if (person && !isOpenEnded) {
      mentioned.push(person.found)
      put(place.index, person.length + 1, person.url)
    } else plain.push(place.text)
    if (isOpenEnded) openEnded.push(place.text)
  }
  return { text: linked + text.slice(end), mentioned, plain, openEnded }
}

/** The only active person whose name starts at an index; the longest name wins. */
function personAt(text: string, index: number, people: readonly Mentionable[]) {
  const rest = text.slice(index, index + maxName)
  const matches = people.flatMap((found) =>
    [found.display_name, found.name].flatMap((name) => {
      const isNamed = name !== undefined && name !== '' && foldCase(rest.slice(0, name.length)) === foldCase(name)
      return isNamed && !continuesName.test(rest.slice(name.length)) ? [{ found, length: name.length }] : []
    }),
  )
  const longest = Math.max(...matches.map(({ length }) => length))
  const active = matches.filter(({ length, found }) => length === longest && found.active && found.is_mentionable)
  const [only] = active
  if (!only || new Set(active.map(({ found }) => found.id)).size > 1) return undefined
  const { url } = only.found
  const isAlone = startsAddress.test(text.slice(Math.max(0, index - 2), index - 1)) && endsAddress.test(text.slice(index + longest))
  return url !== undefined && isAlone ? { ...only, url: url.replaceAll(' ', '%20') } : undefined
}

const maxName = 200
const foldCase = (text: string) => text.normalize('NFC').toLowerCase()

const maxShown = 5

/** Notices about the names in texts: whom they mention, which of those are apps, and which names are only text. */
export function mentionNotices(texts: readonly LinkedText[], people: readonly Mentionable[]): string[] {
  const mentioned = [...new Map(texts.flatMap((each) => each.mentioned.map((person) => [person.id, person] as const))).values()]
  const apps = mentioned.filter(({ app }) => app).map(({ name }) => quote(name, 40))
  const plain = [...new Set(texts.flatMap((each) => each.plain))]
  const [openEnded] = texts.flatMap((each) => each.openEnded)
  return [
    ...(mentioned.length === 0 ? [] : [`The text mentions ${listed(mentioned.map(personName))}.`]),
    ...(apps.length === 0 ? [] : [`Mentioning an app (${listed(apps)}) asks it to act as a delegate; only people can be assigned work.`]),
    ...(plain.length === 0 ? [] : [plainNotice(plain, people)]),
    ...(openEnded === undefined
      ? []
      : [`The next word may be part of the name. Put a comma after the name: ${quote(`${openEnded}, …`, 40)}.`]),
  ]
}

function plainNotice(plain: readonly string[], people: readonly Mentionable[]): string {
  const starts = plain.map((name) => foldCase(name.slice(1)))
  const isSimilar = ({ name, display_name: displayName = '', active }: Mentionable) =>
    active && starts.some((start) => [name, displayName].some((each) => foldCase(each).startsWith(start)))
  const similar = people.filter(isSimilar)
  const rest = plain.length === 1 ? 'is plain text: it notifies no one' : 'are plain text: they notify no one'
  const hint = similar.length === 0 ? '' : `, such as ${listed(similar.map(personName).sort(), 'or')}`
  return `${listed(plain.map((name) => quote(name, 40)))} ${rest}. A mention is "@" and the whole display name or full name of an active person, set off by spaces${hint}.`
}

const personName = ({ name, display_name: displayName }: Mentionable) => (displayName === undefined ? name : `@${displayName} (${name})`)

function listed(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  const others = names.length > maxShown ? [`${names.length - maxShown} more`] : []
  return joinWords([...names.slice(0, maxShown), ...others], word)
}
