import type { LinearDocument as Linear } from '@linear/sdk'
import { spellingsOf, TooLarge } from '@mcp-toolkits/core/errors'

/** References that callers write, and Linear's filters for them. This file sends no requests. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** A slug, which follows the name at the end of a Linear URL: `billing-rewrite-1a2b3c4d5e6f`. */
const slug = /^(?:[^/\s]*-)?([0-9a-f]{12})$/i
/** A Linear page, in a browser or in Linear's app, or a page of the workspace that the embedded default serves. */
const page =
  /^(?:(?:(?:https?:\/\/)?(?:www\.)?linear\.app|linear:\/)\/([^/?#\s]+)|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)\/workspace)(?:\/([a-z-]+)\/([^/?#\s]+)(\S*))?/i
/** An identifier such as ENG-12. */
export const issueIdentifier = /^([a-z][a-z0-9]*)-([1-9]\d{0,8})$/i
const cycleNumber = /^(?:cycle\s*)?(\d+)$/i

/** True for a UUID; Linear may refuse other text as an id. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** A reference without surrounding space and with composed accents. */
export function normalize(reference: string): string {
  return reference.trim().normalize('NFC')
}

/** The Linear page that a URL names. */
export interface Page {
  /** The workspace's name in the URL; for the embedded default, its address. */
  readonly workspace: string
  /** `issue`, `project`, `initiative`, `team`, `profiles` …; undefined for a workspace's URL. */
  readonly kind: string | undefined
  readonly reference: string
  /** Rest of the URL: `/cycle/3`, `#comment-1a2b3c4d`. */
  readonly rest: string
}

/** The page that a Linear URL leads to; undefined for any other text. */
export function pageIn(text: string): Page | undefined {
  const [, name, port, kind, reference = '', rest = ''] = page.exec(text.trim()) ?? []
  const workspace = port === undefined ? name : `127.0.0.1:${port}`
  return workspace === undefined ? undefined : { workspace: workspace.toLowerCase(), kind: kind?.toLowerCase(), reference, rest }
}

function referenceOnPage(kind: string, text: string): string | undefined {
  const found = pageIn(text)
  return found?.kind === kind ? found.reference : undefined
}

/** Replaces typographic hyphens, quotation marks and spaces with keyboard ones. */
function withPlainCharacters(text: string): string {
  return text
    .replace(/[‐‑‒–—―−﹣－]/g, '-')
    .replace(/[‘’‚‛′`´]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[\s\u200b\u2060]+/g, ' ')
    .trim()
}

/** Wrappers that callers put around a reference: quotation marks, brackets, a label such as `id:`, or a Markdown link. */
const wrappers = [
  /^\[[^\]]*\]\((\S+)\)$/,
  /^"(.+)"$/,
  /^'(.+)'$/,
  /^\*\*(.+)\*\*$/,
  /^\[(.+)\]$/,
  /^<(.+)>$/,
  /^\((.+)\)$/,
  /^mailto:(\S+)$/i,
  /^(?:id|uuid|identifier|key|slug|slug[_ ]id|name|url|e-?mail)\s*[:=]\s*(\S.*)$/i,
]

function unwrap(text: string): string {
  const inner = wrappers.map((wrapper) => wrapper.exec(text)?.[1]).find((match) => match !== undefined)
  return inner === undefined ? text : unwrap(inner.trim())
}

/** A reference as written, then without typographic characters, and then without wrappers. No form loses any meaning. */
export function readingsOf(reference: string): readonly [string, ...string[]] {
  const text = normalize(reference)
  const plain = withPlainCharacters(text)
  const [, ...others] = new Set([text, plain, unwrap(plain)])
  return [text, ...others]
}

/** The last form that `readingsOf` returns, without anything around the reference. */
export function plainReading(reference: string): string {
  return readingsOf(reference).at(-1) ?? reference
}

/** The slug that the text consists of or ends with; undefined for a UUID, whose end looks like a slug. */
export function slugIn(text: string): string | undefined {
  return isUuid(text) ? undefined : slug.exec(text)?.[1]
}

/** An issue's identifier or id, possibly taken from its page's URL. */
export function issueId(reference: string): string {
  const text = normalize(reference)
  const onPage = referenceOnPage('issue', text)
  return onPage !== undefined && issueIdentifier.test(onPage) ? onPage : text
}

/** An issue's Git branch, as Linear names it: `robin.vance/eng-12-the-title`. */
const branch = /^[\w.@+-]+\/([a-z][a-z0-9]*)-([1-9]\d{0,8})(?:-[\w.-]*)?$/i

/** One way to read text as an issue's identifier. */
export interface IssueReading {
  readonly key: string
  readonly number: string
}

/**
 * The identifiers that text may mean if it is not an identifier itself: "ENG 9", "#eng-9", "ENG-9: Title", a branch. There are several
 * for "ENG12", because a key can end in digits.
 */
export function issueReadings(reference: string): readonly IssueReading[] {
  const text = plainReading(reference.normalize('NFKC')).replace(/^(?:issue|ticket|task|bug|story)(?: ?[:#] ?| )(?=[a-z])/i, '')
  const [, key, number] =
    /^(?:# ?)?([a-z][a-z0-9]*) ?[-_/#:. ] ?#?0*([1-9]\d{0,8})[.,;]?$/i.exec(text) ??
    /^#?([a-z][a-z0-9]*)-([1-9]\d{0,8})(?: ?[:-])? (?!.*[a-z]-\d)[^\s\d].*$/i.exec(text) ??
    branch.exec(text) ??
    []
  if (key !== undefined && number !== undefined) return [{ key, number }]
  const [, letters = '', digits = ''] = /^#?([a-z]+)(\d{1,9})$/i.exec(text) ?? []
  return Array.from(digits, (_, index) => ({ key: `${letters}${digits.slice(0, index)}`, number: digits.slice(index) })).filter((reading) =>
    /^[1-9]/.test(reading.number),
  )
}

/** A project's slug or id, possibly taken from its page's URL or the end of one; any other text stays unchanged. */
export function projectId(reference: string): string {
  return slugOnPage('project', reference)
}

/** An initiative's slug or id, possibly taken from its page's URL or the end of one; any other text stays unchanged. */
export function initiativeId(reference: string): string {
  return slugOnPage('initiative', reference)
}

/** A document's slug or id, possibly taken from its page's URL or the end of one; any other text stays unchanged. */
export function documentId(reference: string): string {
  return slugOnPage('document', reference)
}

/** The slug in a page's URL or after a name; lists print it after a name that several records share. */
function slugOnPage(kind: string, reference: string): string {
  const text = normalize(reference)
  const last = referenceOnPage(kind, text) ?? /\(slug ([0-9a-f]{12})\)$/i.exec(text)?.[1] ?? text
  return slugIn(last) ?? last
}

/** A cycle's number, if the reference is a number or a cycle's URL. */
export function cycleNumberIn(reference: string): string | undefined {
  const text = normalize(reference)
  return cycleNumber.exec(text)?.[1] ?? cyclePage(text)?.cycle
}

/** The team and cycle in a cycle's URL; the cycle may be a word such as `active`. */
export function cyclePage(text: string): { readonly team: string; readonly cycle: string } | undefined {
  const found = pageIn(text)
  const cycle = /^\/cycle\/([^/?#]+)/i.exec(found?.rest ?? '')?.[1]
  return found?.kind === 'team' && cycle !== undefined ? { team: found.reference, cycle } : undefined
}

/** The e-mail address in `Name <address>` and `Name (address)`. */
export function emailIn(text: string): string | undefined {
  return /[<(]([^\s<>()@]+@[^\s<>()@]+)[>)]$/.exec(text)?.[1]
}

/** The key in `Name (KEY)` or in a team's URL. */
export function teamKeyIn(text: string): string | undefined {
  return referenceOnPage('team', text) ?? /\s\(([a-z][a-z0-9]*)\)$/i.exec(text)?.[1]
}

/** Filter by name, as the caller wrote it or as we print it. */
const byName = (text: string) => spellingsOf(text).map((name) => ({ name: { eqIgnoreCase: name } }))
const byId = (text: string) => (isUuid(text) ? [{ id: { eq: text } }] : [])

/** Records with any of the given names; used for every lookup by name alone. */
export function nameFilter(...names: readonly string[]) {
  const [only = {}, ...others] = names.flatMap((name) => byName(normalize(name)))
  return others.length === 0 ? only : { or: [only, ...others] }
}

/** A team by key, name, id or URL. A match for any form of the reference counts. */
export function teamFilter(...readings: readonly string[]): Linear.TeamFilter {
  const conditions = readings.map(normalize).flatMap((text) => {
    const key = teamKeyIn(text)
    return [{ key: { eqIgnoreCase: text } }, ...byName(text), ...byId(text), ...(key === undefined ? [] : [{ key: { eqIgnoreCase: key } }])]
  })
  return { or: conditions }
}

/** A person or an app, active or not, by e-mail address, name, display name, id or URL; `@me` is the caller. */
export function userFilter(...readings: readonly string[]): Linear.UserFilter {
  const conditions = readings.map(normalize).flatMap((text): Linear.UserFilter[] => {
    if (text.toLowerCase() === '@me') return [{ isMe: { eq: true } }]
    const names = [...spellingsOf(text), ...(referenceOnPage('profiles', text)?.split(' ') ?? [])]
    const displayNames = names.map((name) => ({ displayName: { eqIgnoreCase: name } }))
    return [{ email: { eqIgnoreCase: emailIn(text) ?? text } }, ...byName(text), ...displayNames, ...byId(text)]
  })
  return { or: conditions }
}

/** Issues assigned to a person or delegated to an app. */
export const workOf = (user: Linear.UserFilter): Linear.IssueFilter => ({ or: [{ assignee: user }, { delegate: user }] })

/** A workflow state by name or id. */
export function stateFilter(...readings: readonly string[]): Linear.WorkflowStateFilter {
  return { or: readings.map(normalize).flatMap((text) => [...byName(text), ...byId(text)]) }
}

/** A label by name or id; `group/child`, `group: child` and `group → child` name a label in a group, `name (KEY)` a team's label. */
export function labelFilter(...readings: readonly string[]): Linear.IssueLabelFilter {
  const conditions = readings.map(normalize).flatMap((text): Linear.IssueLabelFilter[] => {
    const key = teamKeyIn(text)
    const inTeam =
      key === undefined ? [] : [{ and: [inGroups(text.slice(0, text.lastIndexOf('(')).trim()), { team: { key: { eqIgnoreCase: key } } }] }]
    return [inGroups(text), ...inTeam, ...byId(text)]
  })
  return { or: conditions }
}

function inGroups(text: string): Linear.IssueLabelFilter {
  const inGroup = spellingsOf(text).flatMap((spelling) =>
    [...spelling.matchAll(/[:→/]/g)].map(({ index }) => ({
      name: { eqIgnoreCase: spelling.slice(index + 1).trim() },
      parent: { name: { eqIgnoreCase: spelling.slice(0, index).trim() } },
    })),
  )
  return { or: [...byName(text), ...inGroup.slice(0, 3)] }
}

/** A project by name, slug, id or URL. */
export function projectFilter(...readings: readonly string[]): Linear.ProjectFilter {
  return { or: readings.map(normalize).flatMap((text) => [...byName(text), { slugId: { eq: projectId(text) } }, ...byId(text)]) }
}

/** An initiative by name, slug, id or URL. */
export function initiativeFilter(...readings: readonly string[]): Linear.InitiativeFilter {
  return { or: readings.map(normalize).flatMap((text) => [...byName(text), { slugId: { eq: initiativeId(text) } }, ...byId(text)]) }
}

/** A document by title, slug, id or URL. */
export function documentFilter(...readings: readonly string[]): Linear.DocumentFilter {
  const byTitle = (text: string) => spellingsOf(text).map((title) => ({ title: { eqIgnoreCase: title } }))
  return { or: readings.map(normalize).flatMap((text) => [...byTitle(text), { slugId: { eq: documentId(text) } }, ...byId(text)]) }
}

/** The id in a milestone's URL, which points into its project's page. */
export function milestoneIdIn(text: string): string | undefined {
  const id = /#milestone-([0-9a-f-]{36})$/i.exec(pageIn(text)?.rest ?? '')?.[1]
  return id !== undefined && isUuid(id) ? id : undefined
}

/** A milestone by name, id or URL. */
export function milestoneFilter(...readings: readonly string[]): Linear.ProjectMilestoneFilter {
  return { or: readings.map(normalize).flatMap((text) => [...byName(text), ...byId(milestoneIdIn(text) ?? text)]) }
}

/** The cycle position that a word names; undefined for a name or a number. */
export function cyclePosition(reference: string): 'current' | 'next' | undefined {
  const text = cyclePage(reference)?.cycle ?? plainReading(reference)
  if (/^(?:current|active)$/i.test(text)) return 'current'
  return /^(?:next|upcoming)$/i.test(text) ? 'next' : undefined
}

/** A cycle by number, name, id or URL, or by its position. */
export function cycleFilter(reference: string): Linear.CycleFilter {
  const conditions = readingsOf(reference).flatMap((text): Linear.CycleFilter[] => {
    const number = cycleNumberIn(text)
    return [...byName(text), ...byId(text), ...(number !== undefined && /^\d+$/.test(number) ? [{ number: { eq: Number(number) } }] : [])]
  })
  const position = cyclePosition(reference)
  const byPosition = position === 'current' ? { isActive: { eq: true } } : { isNext: { eq: true } }
  return { or: [...conditions, ...(position === undefined ? [] : [byPosition])] }
}

/** An issue by identifier, id or URL. No filter finds a former identifier, but `issue(id:)` does. */
export function issueFilter(reference: string): Linear.IssueFilter {
  const id = issueId(reference)
  if (isUuid(id)) return { id: { eq: id } }
  const [, key, number] = issueIdentifier.exec(id) ?? []
  if (key !== undefined) return { team: { key: { eqIgnoreCase: key } }, number: { eq: Number(number) } }
  // No issue has this id.
  return { id: { eq: '00000000-0000-4000-8000-000000000000' } }
}

/** Filters that require every word of `keywords` in the name. */
export function nameFilters(keywords: string | undefined): { name: { containsIgnoreCase: string } }[] {
  return words(keywords).map((word) => ({ name: { containsIgnoreCase: word } }))
}

/** Filters that require every word of `keywords` in the title or the description. */
export function keywordFilters(keywords: string | undefined): Linear.IssueFilter[] {
  return words(keywords).map((word) => ({ or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }] }))
}

/** Maximum number of words: each is a filter condition, and Linear refuses complex queries without documenting a limit. */
const maxWords = 100
const maxKeywords = 2_000

function words(keywords = ''): string[] {
  if (keywords.length > maxKeywords) throw tooManyWords(`${keywords.length} characters; one search takes at most ${maxKeywords}`)
  const found = keywords.split(/\s+/).filter((word) => word !== '')
  if (found.length > maxWords) throw tooManyWords(`${found.length} words; one search takes at most ${maxWords}`)
  return found
}

function tooManyWords(reason: string): TooLarge {
  return new TooLarge(`"keywords" has ${reason}. Shorten it to the few words that identify what you are looking for; nothing was searched.`)
}
