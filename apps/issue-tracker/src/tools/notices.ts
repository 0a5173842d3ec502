import { isObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, type NextStep, quote, withDetails } from '@mcp-toolkits/core/errors'
import { type Identity, synonyms } from '@mcp-toolkits/core/tool'

type Filters = Readonly<Record<string, unknown>>

/** Notice for an empty list: its filters, and how to find more. An empty page `after` another page says nothing about the list. */
export function emptyNotice(kind: string, rows: readonly unknown[], filters: Filters, ...ways: readonly string[]): string | undefined {
  if (rows.length > 0 || filters['after'] !== undefined) return undefined
  const present = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null)
  if (present.length === 0) return `There is no ${kind}.`
  const shown = present.map(([name, value]) => `${name} ${typeof value === 'string' ? quote(value, 80) : JSON.stringify(value)}`)
  const wider = [...ways, ...waysToWiden(filters, present)]
  return `No ${kind} matches ${shown.join(' and ')}. To find more, ${wider.join(' or ')}.`
}

function waysToWiden({ keywords, created_after: since }: Filters, present: readonly (readonly [string, unknown])[]): string[] {
  const [[only] = ['']] = present
  const isSeveral = typeof keywords === 'string' && /\S\s+\S/.test(keywords)
  return [
    ...(isSeveral ? ['use fewer keywords (each must appear)'] : typeof keywords === 'string' ? ['try another keyword'] : []),
    ...(since === undefined ? [] : ['choose an earlier day']),
    ...(present.length > 1 ? ['leave out a filter'] : keywords === undefined && since === undefined ? [`leave out ${only}`] : []),
  ]
}

/** Fields in the filter syntax of GitHub, Jira or Linear: `is:open`, `status = "Done"`. */
const filterSyntax =
  /(?:^|[\s(-])(?:is|in|no|has|state|status|labels?|tag|assignee|assigned|author|creator|reporter|team|project|priority|type|issuetype|sort|order|created|updated|due|cycle|sprint|milestone|parent)\s*(?::|!?=|[<>]=?|~)\s*\S/i
/** Words that describe an item but do not occur in it, as people phrase them: "not urgent", "assigned to Ada", "due this week". */
const conditions =
  /\b(?:not|without|except|excluding) |\b(?:assigned|due|created|updated|closed|owned) (?:to|by|on|before|after|since|in|this|next|last|today|tomorrow|yesterday)\b|\b(?:this|next|last) (?:week|month|sprint|cycle)\b|^(?:un)?assigned$/i
const operators = /["“”*]|\b(?:AND|OR|NOT)\b|(?:^|\s)-\w/

/** The notice for keywords in a search language's syntax, which are read as plain words. It names the `parameters` that filter. */
export function keywordsNotice(keywords: string | undefined, rows: readonly unknown[], parameters: string): string | undefined {
  if (keywords === undefined) return undefined
  if (filterSyntax.test(keywords)) return `keywords was read as plain words; it has no filter syntax. Filter by ${parameters}.`
  if (rows.length === 0 && conditions.test(keywords))
    return `keywords was read as plain words: none of them excludes or filters anything. Filter by ${parameters}.`
  const isVain = rows.length === 0 && operators.test(keywords)
  return isVain ? 'Quotes, *, -, AND, OR and NOT have no meaning in keywords: each word must appear as it is.' : undefined
}

/** Fields and operators in search languages, by the filter that means the same. */
const filterNames = synonyms({
  state: 'status',
  label: 'labels tag type issuetype',
  keywords: 'text~ summary~ title~',
})
const clause = /(?<![\w-])(\w+)\s*([!>]?=|:|~)\s*("[^"]*"|'[^']*'|\S+)/g

/** The filters that mean the same as text in a search language; undefined if no free filter can express part of the text. */
function asFilters(names: readonly string[], name: string, text: string): NextStep | undefined {
  const filters: Record<string, unknown> = {}
  const query = text.replace(/\border by\b.*|\bsort:\S+|\bis:issue\b/gi, '').replace(/\bis:(?=(?:open|closed)\b)/gi, 'state:')
  const rest = query.replace(clause, (whole, field: string, sign: string, written: string) => {
    const value = written.replace(/^["']|["']$/g, '')
    const key = `${field}${/^[=:]/.test(sign) ? '' : sign}`.toLowerCase()
    const isOpen = /^(?:stat(?:e|us|uscategory)!=(?:done|closed|resolved|completed?)|resolutionunresolved)$/i.test(`${key}${value}`)
    const isTeam = key === 'project' && sign === '=' && /^[A-Z][A-Z\d]+$/.test(value)
    const filter = isOpen ? 'state' : isTeam ? 'team' : (filterNames[key] ?? key)
    const parameter = names.find((each) => each === filter || each === `${filter}s`)
    if (parameter === undefined || Object.hasOwn(filters, parameter)) return whole
    const argument = isOpen ? 'open' : /^(?:@?me|currentuser\(\))$/i.test(value) ? '@me' : value
    filters[parameter] = parameter === filter ? argument : [argument]
    return ' '
  })
  if (Object.keys(filters).length === 0 || /[=<>~:()!]|\b(?:OR|NOT|IN)\b/.test(rest)) return undefined
  const words = `${stringMember(filters, 'keywords') ?? ''} ${rest.replace(/\bAND\b/g, ' ')}`.match(/\S+/g)?.join(' ')
  return { change: { [name]: null, ...filters, ...(words !== undefined && { keywords: words }) } }
}

/** Throws `InvalidInput` if keywords in a search language find nothing and filters can express them; `withoutFilters` proposes those. */
export function refuseFilters(shape: object, args: object, found: object): void {
  const isEmpty = Object.entries(found).every(([name, rows]) => name === 'notices' || !Array.isArray(rows) || rows.length === 0)
  if (!isEmpty) return
  const error = new InvalidInput('Nothing contains these keywords.')
  const proposed = withoutFilters(error, shape, args)
  if (proposed instanceof InvalidInput && proposed.details.next) throw error
}

/** Adds to an error that keywords have no filter syntax, and replaces any proposal to search for such text with filters. */
export function withoutFilters(error: unknown, shape: object, args: unknown): unknown {
  if (!(error instanceof InvalidInput) || !isObject(args) || !Object.hasOwn(shape, 'keywords')) return error
  const texts = Object.entries(args).filter(([name]) => name === 'keywords' || !Object.hasOwn(shape, name))
  const [name, text] = texts.find(([, each]) => typeof each === 'string' && filterSyntax.test(each)) ?? []
  if (name === undefined) return error
  const free = Object.keys(shape).filter((each) => each === name || args[each] === undefined)
  const next = asFilters(free, name, String(text))
  return withDetails(error, error.text.and('keywords has no filter syntax: filter by the other arguments.'), next ? { next } : {})
}

/** The notice for an incomplete list without a cursor; it says how to see more. */
export function moreNotice(hasMore: boolean, ...ways: readonly (string | false)[]): string | undefined {
  if (!hasMore) return undefined
  const available = ways.filter((way) => way !== false)
  return available.length === 0 ? 'There are more than this tool can list.' : `There are more: ${available.join(', or ')}.`
}

/** A result's notices; empty if there are none. */
export function noticesOf(...notices: readonly (string | undefined)[]): { notices?: string[] } {
  const present = notices.filter((notice) => notice !== undefined)
  return present.length === 0 ? {} : { notices: present }
}

/** Notice for a record that an earlier attempt had created or begun to create. */
export function repeatNotice({ isRepeat }: Identity, wasCreatedEarlier: boolean, archivedAt?: string | null): string | undefined {
  if (!wasCreatedEarlier) return isRepeat ? 'An earlier attempt at this call was not completed; this one completed it.' : undefined
  const since = archivedAt ? ' Since then it was archived or moved to the trash.' : ''
  return `An earlier attempt at this call already created this item; nothing was created again.${since}`
}

/** A record that a call found instead of creating it. */
interface Found {
  /** The part of the call that the id is for, such as `link`. */
  readonly part: string
  readonly ids: readonly string[]
  /** Notice that the record already existed; omitted if an earlier attempt at this call had created it. */
  readonly notice: string | undefined
}

/**
 * Result fields for a record that existed before this call; `changed` is true if an earlier attempt had created it under one of our ids.
 */
export function foundNotice(identity: Identity, { part, ids, notice }: Found): { changed: boolean; notices?: string[] } {
  const isOurs = ids.includes(identity.uuid(part))
  return { changed: isOurs, ...noticesOf(isOurs ? repeatNotice(identity, true) : notice) }
}

/** Notice for a record that can exist only once. */
export function creationNotice(
  { identity, isReplacement }: { readonly identity: Identity; readonly isReplacement: boolean },
  wasCreatedEarlier: boolean,
): string | undefined {
  if (!isReplacement) return repeatNotice(identity, wasCreatedEarlier)
  return 'An earlier attempt at this call already created this item. It has been deleted since, so it was created again.'
}

/** Notice for a write to an archived record, which Linear accepts. */
export function archivedNotice(kind: string, archivedAt: string | null | undefined): string | undefined {
  return archivedAt ? `The ${kind} is archived.` : undefined
}

/** The notice for a project status set by name; results show types. */
export function ownStatusNotice(
  state: string | undefined,
  { status }: { readonly status: { readonly name: string; readonly type: string } },
): string | undefined {
  return state === undefined || state === status.type ? undefined : `Its status is ${quote(status.name, 80)}, of type ${status.type}.`
}
