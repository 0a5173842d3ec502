import { type Clock, isObject } from '@mcp-toolkits/core/base'
import type { LinearCall } from '../linear/client.ts'
import type { Declarations } from '../linear/document.ts'
import {
  keyOf,
  maxIdentifiers,
  maxLonger,
  type Mentionable,
  referenceVariables,
  textReferences,
  withAddress,
} from '../linear/text-references.ts'
import { type Place, placesIn } from './places.ts'
import { linkText, mentionNotices } from './references.ts'

/** Input fields that hold Markdown. A plan's short `description` is plain text. */
const markdown: Readonly<Record<string, string>> = {
  CommentCreateInput: 'body',
  CommentUpdateInput: 'body',
  DocumentCreateInput: 'content',
  DocumentUpdateInput: 'content',
  InitiativeCreateInput: 'content',
  InitiativeUpdateInput: 'content',
  IssueCreateInput: 'description',
  IssueUpdateInput: 'description',
  ProjectCreateInput: 'content',
  ProjectMilestoneCreateInput: 'description',
  ProjectMilestoneUpdateInput: 'description',
  ProjectUpdateCreateInput: 'body',
  ProjectUpdateInput: 'content',
}

/** Time, in milliseconds, for which we remember that a prefix is not a team key. */
const maxAge = 3_600_000
const maxKeys = 1_000

interface Sending {
  /** The call's arguments: only identifiers that occur in them become links, so that an edit leaves others alone. */
  readonly args: object
  readonly notice: (text: string) => void
  readonly clock: Clock
  /** Prefixes that are not team keys, such as "UTF" in "UTF-8", each with the time at which Linear said so. */
  readonly otherKeys: Map<string, number>
}

export interface TextSender extends LinearCall {
  /** Returns the text as a write would send it. */
  readonly linked: (text: string) => Promise<string>
  /** Like `linked`, for all texts in a call that only previews a write; adds the notices that the write would add. */
  readonly preview: (texts: readonly string[]) => Promise<(text: string) => string>
}

/** Turns the references in texts that a call writes into mentions and links. New names and identifiers together cost one request. */
export function withTextReferences(linear: LinearCall, { args, notice, clock, otherKeys }: Sending): TextSender {
  const people = new Map<string, Mentionable>()
  const issues = new Map<string, string>()
  const asked = new Set<string>()
  let hasMore = false
  const isOtherKey = (key: string) => clock.now() - (otherKeys.get(key) ?? -Infinity) <= maxAge
  const learn = async (texts: readonly string[]) => {
    const written = JSON.stringify(args)
    const mayBeIssue = (text: string) => written.includes(text) && !isOtherKey(keyOf(text))
    const missing = texts
      .flatMap(placesIn)
      .filter(({ kind, text, longer = text }) => !asked.has(longer) && (kind !== 'issue' || mayBeIssue(text)))
    const textsOf = (kind: Place['kind']) => [...new Set(missing.flatMap((place) => (place.kind === kind ? place.text : [])))]
    const [names, identifiers] = [textsOf('name').map((name) => name.slice(1)), textsOf('issue').slice(0, maxIdentifiers)]
    if (names.length === 0 && identifiers.length === 0) return
    const longer = [...new Set(missing.flatMap((place) => place.longer?.slice(1) ?? []))]
    const found = await linear.send(textReferences, referenceVariables({ names, longer, identifiers }))
    for (const person of [...(found.named ?? []), ...(found.longer ?? []), ...(found.similar ?? [])])
      people.set(person.id, withAddress(person, found.organization?.url_key))
    hasMore ||= found.has_more_longer === true || longer.length > maxLonger
    for (const { identifier, url } of found.linked ?? []) if (url !== undefined) issues.set(identifier, url)
    for (const { text, longer: both = text } of missing) asked.add(text).add(both)
    const keys = found.teams?.map(({ key }) => key)
    if (otherKeys.size > maxKeys) otherKeys.clear()
    for (const key of identifiers.map(keyOf)) if (keys?.includes(key) === false) otherKeys.set(key, clock.now())
  }
  const link = async (texts: readonly string[]) => {
    await learn(texts)
    const known = { people: [...people.values()], hasMore, issues }
    return new Map(texts.map((text) => [text, linkText(text, known)]))
  }
  const preview = async (texts: readonly string[]) => {
    const linked = await link(texts)
    for (const each of mentionNotices([...linked.values()], [...people.values()])) notice(each)
    return (text: string) => linked.get(text)?.text ?? text
  }
  return {
    ...linear,
    preview,
    linked: async (text) => (await link([text])).get(text)?.text ?? text,
    async send(document, variables) {
      const texts: string[] = []
      withTexts(variables, document.declarations, (text) => texts.push(text))
      if (texts.length === 0) return linear.send(document, variables)
      return linear.send(document, withTexts(variables, document.declarations, await preview(texts)))
    },
  }
}

/** A document's variables, with a change applied to their Markdown texts. */
function withTexts<Variables extends object>(
  variables: Variables,
  declarations: Declarations,
  change: (text: string) => unknown,
): Variables {
  const changed = Object.entries(variables).map(([name, value]: [string, unknown]): [string, unknown] => {
    const type = declarations[name]?.replace('!', '') ?? ''
    const issues = isObject(value) ? value['issues'] : undefined
    if (!isObject(value) || !Array.isArray(issues)) return [name, withText(value, type, change)]
    return [name, { ...value, issues: issues.map((input: unknown) => withText(input, 'IssueCreateInput', change)) }]
  })
  return { ...variables, ...Object.fromEntries(changed) }
}

function withText(input: unknown, type: string, change: (text: string) => unknown): unknown {
  const { [type]: field } = markdown
  if (!isObject(input) || field === undefined) return input
  const { [field]: content, description } = input
  // A plan with only a short text has no document where people could be mentioned.
  const text = content ?? description
  const changed = typeof text === 'string' ? change(text) : text
  return changed === text ? input : { ...input, [field]: changed }
}
