import type { Clock } from '@mcp-toolkits/core/base'
import { readPages } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import type { LinearCall } from './client.ts'
import { field, onType, pageVariables, query } from './document.ts'
import { SchemaMismatch } from './errors.ts'
import { NamedRef, OptionalText, Person, ProjectRef, Text, Timestamp } from './records.ts'

const Actor = z.object({ name: OptionalText }).optional()

export const Notification = z.object({
  type: Text,
  title: OptionalText,
  subtitle: OptionalText,
  created_at: Timestamp,
  read_at: Timestamp,
  snoozed_until_at: Timestamp,
  actor: Person.optional(),
  bot_actor: Actor,
  external_user_actor: Actor,
  issue: onType('IssueNotification', z.object({ identifier: Text }).optional()),
  comment: onType('IssueNotification', z.object({ id: Text, body: Text }).optional()),
  project: onType('ProjectNotification', ProjectRef.optional()),
  initiative: onType('InitiativeNotification', NamedRef.optional()),
})

const Edges = z.object({
  edges: z.array(z.object({ cursor: Text, node: Notification })),
  page_info: z.object({ has_next_page: z.boolean(), end_cursor: OptionalText }),
})

export const inbox = query(
  'GetInbox',
  { ...pageVariables, unreadOnly: 'Boolean' },
  { page: field('inboxNotifications(first: $first, after: $after, unreadOnly: $unreadOnly)', Edges) },
)

export const allNotifications = query('GetNotifications', pageVariables, {
  page: field('notifications(first: $first, after: $after)', Edges),
})

interface NotificationRange {
  readonly unreadOnly: boolean
  readonly limit: number
  readonly after: string | undefined
}

interface NotificationPage {
  readonly notifications: readonly z.output<typeof Notification>[]
  readonly hasMore: boolean
  readonly endCursor: string | undefined
}

/** Maximum number of pages to read for unread notifications, in a workspace without the inbox API. */
const maxPages = 5

/** A page of notifications. In a workspace without the inbox API, the unread ones are picked from all notifications. */
export async function notificationPage(linear: LinearCall, range: NotificationRange, clock: Clock): Promise<NotificationPage> {
  const { unreadOnly, limit, after } = range
  if (!unreadOnly) return pageOf((await linear.send(allNotifications, { first: limit, after })).page)
  try {
    return pageOf((await linear.send(inbox, { first: limit, after, unreadOnly })).page)
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    return filterUnread(linear, range, clock)
  }
}

function pageOf({ edges, page_info: info }: z.output<typeof Edges>): NotificationPage {
  return { notifications: edges.map(({ node }) => node), hasMore: info.has_next_page, endCursor: info.end_cursor ?? undefined }
}

/** True if the inbox shows a notification: if it is unread, and not snoozed until later. */
function isInInbox({ read_at: readAt, snoozed_until_at: snoozedUntil }: z.output<typeof Notification>, clock: Clock): boolean {
  return readAt == null && (snoozedUntil == null || Date.parse(snoozedUntil) <= clock.now())
}

async function filterUnread(linear: LinearCall, { limit, after }: NotificationRange, clock: Clock): Promise<NotificationPage> {
  const unread: z.output<typeof Edges>['edges'] = []
  const pages = readPages({ vendor: 'Linear', maxPages, start: after }, async (position) => {
    const { edges, page_info: info } = (await linear.send(allNotifications, { first: 50, after: position })).page
    return { edges, next: info.has_next_page ? (info.end_cursor ?? undefined) : undefined }
  })
  let next: string | undefined
  for await (const { edges, next: following } of pages) {
    unread.push(...edges.filter(({ node }) => isInInbox(node, clock)))
    next = following
    if (unread.length > limit) break
  }
  const page = unread.slice(0, limit)
  // The next page starts after this page's last row, even if more rows were read.
  const endCursor = unread.length > limit ? page.at(-1)?.cursor : next
  return { notifications: page.map(({ node }) => node), hasMore: endCursor !== undefined, endCursor }
}
