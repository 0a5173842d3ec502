import { splitWords, stem } from '@mcp-toolkits/core/references'
import { withImplied, words } from '@mcp-toolkits/core/tool'
import type { ToolVocabulary } from '../definition.ts'

/** Verbs that people use interchangeably, each mapped to the first in its group. Archiving is not deleting. */
const verbs = new Map(
  [
    'get fetch read show view retrieve describe',
    'list search find query browse lookup count',
    'create new make insert post',
    'update edit modify change set patch',
    'delete remove trash erase purge destroy',
    'save upsert put write manage',
    'restore undelete untrash recover',
    'copy duplicate clone',
    ...words(
      'add archive unarchive send move rename share unshare download upload import export suppress unsuppress lock unlock transition reply mark',
    ),
  ].flatMap((group) => words(group).map((word) => [stem(word), words(group)[0] ?? word] as const)),
)

/** Words that add nothing to a tool's name. */
const fillers = words('a an the of to for or and mcp api tool')
/** Products whose servers put their name into their tools' names. */
const products = words(
  'asana atlassian basecamp clickup confluence github gitlab jira linear monday notion shortcut todoist trello youtrack aws azure gcs s3 minio box dropbox filesystem gdrive google googledrive nextcloud onedrive sharepoint bitbucket plane redmine wrike amplitude braze customerio firebase fs fullstory ga4 heap hubspot intercom iterable klaviyo mixpanel moengage mparticle pendo posthog rudder rudderstack snowplow',
)
/** Version at the end of a name. */
const version = /^v\d+$/
/** Words that add nothing before another word; at the end, something is missing after them. */
const prepositions = words('in on from into')
/** Words that begin the means by which something is done. */
const means = words('by using via')

/** Meaning of a name: an action on things. */
export interface Action {
  /** The first verb of the group; undefined if there is none. */
  readonly verb: string | undefined
  /** The other words in the singular, as written. */
  readonly things: readonly string[]
}

export type WordReader = (name: string) => readonly string[]

/** Returns the words of a tool's name in the server's own words, without its prefix, the vendor's name, and the means. */
export function wordReader(prefix: string, { words: own = {}, fillers: product = [], names = {} }: ToolVocabulary): WordReader {
  const known = new Map(Object.entries(own).flatMap(([word, all]) => all.map((other) => [stem(other), word] as const)))
  const translate = (word: string) => {
    const other = known.get(stem(word))
    return other !== undefined && isPlural(word) ? `${other}s` : (other ?? word)
  }
  const others = Object.entries(names).flatMap(([tool, all]) => [tool, ...withImplied(all).map(([name]) => name)])
  const lexicon = new Set([...verbs.keys(), ...[...Object.entries(own).flat(2), ...others.flatMap(splitWords)].map(stem)])
  // Callers leave out the "api" of a prefix.
  const front = splitWords(prefix).filter((word) => !fillers.includes(word))
  return (name) => {
    const all = splitWords(name)
    const written = front.every((word, index) => all[index] === word) ? all.slice(front.length) : all
    const end = written.findIndex((word, index) => index > 0 && means.includes(word))
    const said = (end > 0 ? written.slice(0, end) : written).filter((word, index) => index === 0 || !version.test(word))
    // A product may also be a thing: "link GitHub issue".
    const isProduct = (word: string, index: number) =>
      product.includes(word) || (products.includes(word) && (!known.has(stem(word)) || (index === 0 && verbs.has(stem(said[1] ?? '')))))
    const isIdle = (word: string, index: number) =>
      fillers.includes(word) || (index < said.length - 1 && (isProduct(word, index) || prepositions.includes(word)))
    const kept = said.filter((word, index) => !isIdle(word, index))
    return (kept.length === 1 ? kept.flatMap((word) => splitJoined(word, lexicon)) : kept).map(translate)
  }
}

/** Two words written as one, "groupidentify"; the word itself if it is known, or not clearly two. */
function splitJoined(word: string, lexicon: ReadonlySet<string>): readonly string[] {
  const places = lexicon.has(stem(word)) ? [] : Array.from(word, (_, place) => place).slice(3, -2)
  const pairs = places
    .map((place) => [word.slice(0, place), word.slice(place)])
    .filter((pair) => pair.every((each) => lexicon.has(stem(each))))
  return pairs.length === 1 ? (pairs[0] ?? []) : [word]
}

/** The words after a namespace: "files create folder"; undefined if there is none. */
export function withoutNamespace([first = '', ...rest]: readonly string[]): readonly string[] | undefined {
  return (isPlural(first) || first.endsWith('ing')) && rest.length > 1 && verbs.has(stem(rest[0] ?? '')) ? rest : undefined
}

/** The action that a name means. Getting several things counts as listing them; so does naming them, as in GraphQL. */
export function actionOf(written: readonly string[]): Action {
  const isVerb = (word = '') => verbs.has(stem(word))
  // In "projectUpdateCreate" and "CreateProjectUpdate", an update is a thing.
  const place = isVerb(written[0]) ? 0 : isVerb(written.at(-1)) ? written.length - 1 : written.findIndex(isVerb)
  const verb = verbs.get(stem(written[place] ?? ''))
  const isList = (verb === 'get' || (verb === undefined && written.length === 1)) && isPlural(written.at(-1) ?? '')
  return { verb: isList ? 'list' : verb, things: written.filter((_, index) => index !== place).map(singular) }
}

/** True if two verbs may mean the same. Saving is creating or updating. */
export function isSameVerb(one: string | undefined, other: string | undefined): boolean {
  const savings = [one, other].filter((verb) => verb === 'save')
  return one === other || (savings.length === 1 && /^(?:create|update)$/.test(String(one === 'save' ? other : one)))
}

/** True if both names are about the same things, in any order. */
export function hasSameThings(one: Action, other: Action): boolean {
  const sorted = ({ things }: Action) => things.map(stem).toSorted().join(' ')
  return one.things.length > 0 && sorted(one) === sorted(other)
}

function isPlural(word: string): boolean {
  return /.[^su]s$/.test(word)
}

function singular(word: string): string {
  return isPlural(word) ? word.slice(0, -1).replace(/(?<=..)ie$/, 'y') : word
}
