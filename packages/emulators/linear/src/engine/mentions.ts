import type { JsonObject } from '@mcp-toolkits/emulator'
import { newId, vendorPages } from '../ids.ts'
import { subscribe } from '../issues/subscribers.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'

/** Markdown fields, by type. */
const texts: Readonly<Record<string, string>> = {
  Comment: 'body',
  Document: 'content',
  Initiative: 'content',
  InitiativeUpdate: 'body',
  Issue: 'description',
  Project: 'content',
  ProjectMilestone: 'description',
  ProjectUpdate: 'body',
}

/** Code, links and tags, in which a URL stays plain text. */
const literal = /```[^]*?(?:```|$)|`[^`\n]*`|!?\[[^\]\n]*\]\([^)\n]*\)|<[^>\n]*>/.source

/** Text as Linear shows it: bare URLs of people in the workspace become mentions, and bare URLs of issues become links. */
export function withMentions(session: Session, type: string, values: Changes): Changes {
  const { [type]: field = '' } = texts
  const { [field]: text } = values
  return typeof text === 'string' ? { ...values, [field]: read(session, text).text } : values
}

/** Notifies people mentioned in an input's text, once for each record, and subscribes them to the issue. */
export function notifyMentioned(session: Session, type: string, { row, input }: { readonly row: Entity; readonly input: JsonObject }) {
  const { [texts[type] ?? '']: text } = input
  const about = notificationAbout(type, row)
  if (typeof text !== 'string' || about === undefined) return
  for (const userId of read(session, text).people) {
    if (!session.isVisibleTo(userId, type, row.id)) continue
    const { kind, type: event, of } = about
    const [[key, id] = ['', '']] = Object.entries(of)
    const own = `a.userId = :userId and a.type = :event and a.${key} = :id`
    const isNotified = session.count('Notification', own, { userId, event, id }) > 0
    if (of['issueId'] !== undefined) subscribe(session, of['issueId'], [userId])
    if (isNotified || userId === session.viewerId) continue
    const values = { kind, type: event, category: 'mentions', userId, actorId: session.viewerId, ...of }
    session.insert('Notification', { id: newId(undefined), ...values })
  }
}

function notificationAbout(type: string, row: Entity) {
  const id = row.id
  const { issueId, projectId } = row
  if (type === 'Issue') return { kind: 'IssueNotification', type: 'issueMention', of: { issueId: id } }
  if (type === 'Comment' && typeof issueId === 'string')
    return { kind: 'IssueNotification', type: 'issueCommentMention', of: { commentId: id, issueId } }
  if (type === 'ProjectUpdate')
    return { kind: 'ProjectNotification', type: 'projectUpdateMention', of: { projectUpdateId: id, projectId: String(projectId) } }
  return undefined
}

/** Text with its mentions, and the ids of mentioned people. */
function read(session: Session, text: string): { readonly text: string; readonly people: ReadonlySet<string> } {
  const people = new Set<string>()
  const base = session.pageUrl('') || vendorPages
  const page = String.raw`(?<![^\s(*_~])(?<url>${base.replaceAll('.', String.raw`\.`)}/(?<kind>profiles|issue)/(?<name>[^\s<>"*/?#]+?)(?:[/?#][^\s<>"*]*?)?)(?=[.,;:!?)*_~]*(?:\s|$))`
  const shown = text.replaceAll(new RegExp(`${literal}|${page}`, 'g'), (whole: string, ...rest: unknown[]) => {
    const { url, kind, name }: { url?: string; kind?: string; name?: string } = Object.assign({}, rest.at(-1))
    if (url === undefined || name === undefined) return whole
    if (kind === 'issue') {
      const identifier = name.toUpperCase()
      return session.count('Issue', 'a.identifier = :identifier', { identifier }) > 0 ? `[${identifier}](${url})` : whole
    }
    const displayName = decoded(name)
    const [user] = session.select('User', 'where a.displayName = :displayName and a.active = 1', { displayName })
    if (user === undefined) return whole
    people.add(user.id)
    return `@${displayName}`
  })
  return { text: shown, people }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
