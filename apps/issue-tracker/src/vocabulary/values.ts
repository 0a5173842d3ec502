import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { readDate, synonyms, words, type WrittenArgument } from '@mcp-toolkits/core/tool'
import { Priority } from '../linear/records.ts'

export const priorities = synonyms({
  urgent: '1 critical crit highest blocker emergency asap immediate top_priority',
  high: '2 major important hi',
  medium: '3 normal moderate mid med average standard default regular',
  low: '4 minor lowest trivial lo',
  no_priority: '0 none unset unprioritized no undefined not_set',
})

const progress = {
  planned: 'todo to_do upcoming scheduled planning not_started queued',
  started: 'active in_progress ongoing underway wip doing in_development running live',
  completed: 'done complete finished shipped delivered',
  canceled: 'cancelled abandoned dropped rejected killed',
}
export const projectStates = synonyms({ ...progress, paused: 'on_hold hold suspended', backlog: 'icebox someday later' })
export const initiativeStates = synonyms({ ...progress, proposed: 'proposal suggested idea' })
export const stateTypes = synonyms({
  triage: 'inbox needs_triage untriaged',
  backlog: 'icebox someday later',
  unstarted: 'todo to_do planned not_started ready offen à_faire por_hacer a_fazer',
  started: 'in_progress active ongoing wip doing in_arbeit in_bearbeitung en_cours en_curso em_andamento',
  completed: 'done complete finished resolved erledigt fertig terminé hecho terminado feito concluído',
  canceled: 'cancelled abandoned dropped rejected wont_fix wont_do abgebrochen annulé cancelado',
  duplicate: 'dup dupe duplicated',
})
export const relationTypes = synonyms({
  blocks: 'block blocking is_blocking prerequisite_of required_by',
  blockedBy: 'blocked_by is_blocked_by blocked depends_on depends dependent_on requires waits_for waiting_on',
  duplicate: 'dup dupe duplicates duplicate_of is_duplicate_of is_a_duplicate_of',
  related: 'relates relates_to related_to is_related_to relation see_also linked linked_to similar associated',
})
/** `{ blocks: "ENG-2" }` names the relation too. */
export const relatedNames = Object.fromEntries<JsonObject>([
  ...Object.entries({ ...relationTypes, blocks: 'blocks' }).map(([name, relation_type]): [string, JsonObject] => [name, { relation_type }]),
  ...words('related other_issue other target_issue to_issue to target second_issue').map((name): [string, JsonObject] => [name, {}]),
])
export const health = synonyms({
  onTrack: 'green good healthy on_schedule ok fine',
  atRisk: 'yellow amber risky warning some_risk',
  offTrack: 'red bad behind behind_schedule delayed late failing',
})
export const clearableFields = synonyms({
  assignee: 'owner assigned_to assignee_id person user responsible',
  delegate: 'delegate_id delegated_to agent app',
  cycle: 'sprint iteration cycle_id',
  project: 'project_id',
  due_date: 'due deadline due_on due_by',
  estimate: 'points story_points estimation',
})
export const unsubscribing = words('unsubscribe unsubscribed unfollow unwatch mute')
export const subscriptions = Object.fromEntries(
  [...words('subscribe subscribed follow watch'), ...unsubscribing].map((word) => [word, !unsubscribing.includes(word)]),
)
export const lookups = synonyms({ id: 'uuid identifier', key: 'team_key prefix code', name: 'title full_name', slug_id: 'slug slugid' })

/** "Opened", "CLOSED": reads the words for several states in a filter. */
export function readStateWord(written: unknown) {
  const [, word] = /^(open|active|close)(?:ed|d)?$/.exec(typeof written === 'string' ? written.trim().toLowerCase() : '') ?? []
  return word === undefined ? undefined : { equal: word === 'close' ? 'closed' : word }
}

/** A URL without its scheme. Something like "readme.md" may be the name of a file. */
export function readUrl(written: unknown) {
  const [text, path] = /^(?:[\w-]+\.)+[\w-]+([/?#]\S*)?$/.exec(String(written).trim()) ?? []
  if (text === undefined) return undefined
  const url = `https://${text}`
  return path !== undefined || text.startsWith('www.') ? { likely: url } : { possible: [url] }
}

/** `project: { "key": "OPS" }`, as written for Jira, means a team. */
export const impliedTeam = (written: unknown) => (isObject(written) && 'key' in written ? { team: written['key'] } : undefined)
/** The team of an issue, which has the same states. */
export const teamOfIssue = (id: unknown) => (isObject(id) ? undefined : { team: String(id).replace(/-\d+$/, '') })

/** "ENG4" for "ENG-4". "ENG12" may also be ENG1-2. */
export function impliedParent(written: unknown) {
  const [, key = '', number] = /^([a-z]{2,5})(?: |(?=\d$))(\d+)$/i.exec(String(written)) ?? []
  return number === undefined ? undefined : { parent_issue: `${key.toUpperCase()}-${number}` }
}

/** The tool that lists the states of an issue's team. */
export const statesOf = ({ issue_id: id }: JsonObject) => ({
  tool: 'IssueTracker.ListWorkflowStates',
  ...(/^[a-z][a-z\d]{0,6}-\d+$/i.test(String(id)) ? { arguments: { team: String(id).replace(/-\d+$/, '') } } : {}),
})

/** `links: [{ "url": …, "title": … }]` */
const linkAs = (url: string, title: string) => (written: unknown) => {
  const [link, ...more] = [written].flat()
  const [address, name] = [stringMember(link, 'url'), stringMember(link, 'title')]
  return address === undefined || more.length > 0 ? undefined : { [url]: address, ...(name && { [title]: name }) }
}
export const impliedLink = linkAs('attachment_url', 'attachment_title')
export const impliedPage = linkAs('code_host_url', 'title')

/** `labels: { add: […], remove: […] }`, or a list of such changes. */
export function impliedLabels(written: unknown) {
  const changes = [written].flat().flatMap((each): [string, unknown][] => (isObject(each) ? Object.entries(each) : [['', each]]))
  const listed = (key: string) => changes.flatMap(([name, labels]) => (name === key ? labels : []))
  const isChange = changes.every(([name]) => name === 'add' || name === 'remove')
  return isChange ? { labels_to_add: listed('add'), labels_to_remove: listed('remove') } : undefined
}

/** Accepts arguments by their text, `name:value`; of a record, its first key counts: `labels:{add`. */
const fitting =
  (pattern: RegExp) =>
  (written: unknown, { name }: WrittenArgument) => {
    const [first] = [written].flat()
    return pattern.test(`${name}:${isObject(first) ? `{${Object.keys(first)[0] ?? ''}` : String(written).trim()}`)
  }
/** Cursors are longer than any page number. */
export const isCursor = fitting(/:[\w-]{20,}$/)
/** True for a period until now, which has a first day. A day in `created_at` may mean that day alone. */
export const isSince = fitting(/^(?!created_?at:)|:-|ago$|:(?:last|past)\b/i)
/** Jira's `project`, or the board of another tracker, is a team if it is a key. */
export const isTeamKey = fitting(/^(?!(?:project|(?:board|space|list)(?:_?[iI]d|_?[kK]ey)?):)|:(?:[A-Z\d]{1,7}$|{key)/)
export const isNoTeamKey = fitting(/^(?!list)|:(?![A-Z\d]{1,7}$)/)
/** True for an issue; "Q4" is the name of an epic. */
export const isIssue = fitting(/^(?!.*\/project\/).*(?:-\d|:\/\/|-.*-|{(?:key|id))|^parent:[a-z]{2,5} ?\d+$/i)
/** An `epic` is a project unless its value is an issue. */
export const isNoIssue = fitting(/^(?!epic:(?:.*-\d+$|.*\/issue\/))/i)
/** "T, U" is two names where one is expected. */
export const isSingle = fitting(/^[^,;\n]*$/)
/** A `severity` is a label if it is written like one: "S1". */
export const isLabel = fitting(/^(?!severity:|type:sub)|:s\d$/i)
export const isSingleLabel = fitting(/^(?!severity:)[^,;\n]*$|:s\d$/i)
/** In an update, a plain list of labels may be meant to replace those that are there. */
export const isAddedLabel = fitting(/^(?:label|tag|(?:issue_?)?type):|^[^:]*add|^labels:{(?:add|remove)|^severity:s\d$/i)
/** True for a comment's id or URL; a `comment` may also be its text. */
export const isId = fitting(/^[^:]*:(?=\D*\d)\S+$/)
export const isNoSummary = fitting(/^(?!summary:)/i)
/** False for the owner of a repository. */
export const isPerson = (_: unknown, { name, others }: WrittenArgument) => name !== 'owner' || others['repo'] === undefined
/** True for an address; a number alone names no repository. */
export const isPage = fitting(/^[^:]*:(?:[^/#]*[/#]|{url)/)
/** True for words to search for, false for states and JSON. */
export const isNoFilter = fitting(/:(?!(?:un)?(?:assigned|labeled|estimated|prioritized|started)$|(?:mine|open|closed)$|[[{])/i)
/** `read: false` asks for unread items; `read: true` asks for something else. */
export const isUnread = fitting(/^unread|:false$/)
export const ordering = Object.fromEntries(words('sort sort_by sort_order order order_by direction').map((name) => [name, []]))

/** Priorities by number: some people count from P0, some from P1. The fourth is low for both. */
const ranks = [['urgent'], ['urgent', 'high'], ['high', 'medium'], ['medium', 'low'], ['low']]

/** "P1", "High priority", "priority: high", "2 - high", "High (2)". A number and a word that disagree mean nothing. */
export function readPriority(written: unknown) {
  const text = String(written).trim().toLowerCase().replace(/[!.]$/, '')
  // A leading sign makes it a condition.
  if (/^[^a-z\d]/.test(text)) return undefined
  const bare = text.replace(/\b(?:priority|prio|level)\b|[\s:=().–-]+/g, ' ').trim()
  const meant = ranks[Number(/^p ?(\d)$/.exec(bare)?.[1])]
  if (meant) return meant.length === 1 ? { likely: meant[0] } : { possible: meant }
  const read = bare.split(' ').map((word) => (Object.hasOwn(priorities, word) ? priorities[word] : Priority.safeParse(word).data))
  const [only, ...others] = new Set(read)
  return only === undefined || others.length > 0 ? undefined : { likely: only }
}

/** Reads the days since a date or over a period: "2026-11-06", "-P7D", "2 weeks". */
export function readDays(written: unknown, today: string) {
  const text = String(written).trim()
  const reading = readDate(written, today) ?? readDate(/^p?\d/i.test(text) ? `-${text}` : `last ${text}`, today)
  const [date] = reading && !('possible' in reading) ? Object.values(reading) : []
  return typeof date === 'string' ? { likely: (Date.parse(today) - Date.parse(date)) / 86_400_000 } : undefined
}
