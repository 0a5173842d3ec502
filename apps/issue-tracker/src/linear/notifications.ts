import * as z from 'zod'
import type { LinearClient } from './client.ts'
import { UnknownToLinear } from './failures.ts'
import { operation, type Paged } from './operation.ts'
import { IssueRef, Person, ProjectRef } from './records.ts'

export const Notification = z.object({
  id: z.string(),
  type: z.string(),
  category: z.string().nullish(),
  title: z.string().nullish(),
  subtitle: z.string().nullish(),
  url: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  read_at: z.string().nullish().describe('null while it is unread.'),
  snoozed_until_at: z.string().nullish(),
  actor: Person.nullish(),
  bot_actor: z.object({ name: z.string().nullish() }).nullish(),
  external_user_actor: z.object({ name: z.string() }).nullish(),
  issue: IssueRef.nullish(),
  comment: z.object({ id: z.string(), body: z.string(), url: z.string() }).nullish(),
  project: ProjectRef.nullish(),
  initiative: z.object({ id: z.string(), name: z.string() }).nullish(),
})

const Edges = z.object({
  edges: z.array(z.object({ cursor: z.string(), node: Notification })),
  page_info: z.object({ has_next_page: z.boolean(), end_cursor: z.string().nullish() }),
})

export const inbox = operation<{ unreadOnly: boolean } & Paged>()(
  `query GetInbox($first: Int!, $after: String, $unreadOnly: Boolean) {
    page: inboxNotifications(first: $first, after: $after, unreadOnly: $unreadOnly) { edges { cursor node { ...NotificationRow } } pageInfo { ...Page } }
  }`,
  z.object({ page: Edges }),
)

export const allNotifications = operation<Paged>()(
  `query GetNotifications($first: Int!, $after: String) {
    page: notifications(first: $first, after: $after) { edges { cursor node { ...NotificationRow } } pageInfo { ...Page } }
  }`,
  z.object({ page: Edges }),
)

export interface Wanted {
  readonly unreadOnly: boolean
  readonly limit: number
  readonly after: string | undefined
}

export interface NotificationPage {
  readonly notifications: readonly z.output<typeof Notification>[]
  readonly hasMore: boolean
  readonly endCursor: string | undefined
}

/** How many pages are read for unread notifications where the workspace cannot filter them. */
const mostPages = 5

/** A page of notifications. Where a workspace does not know the inbox yet, unread ones are picked out of all of them. */
export async function notificationPage(linear: LinearClient, wanted: Wanted, signal: AbortSignal): Promise<NotificationPage> {
  const { unreadOnly, limit, after } = wanted
  if (!unreadOnly) return pageOf((await linear.run(allNotifications, { first: limit, after }, signal)).page)
  try {
    return pageOf((await linear.run(inbox, { first: limit, after, unreadOnly }, signal)).page)
  } catch (error) {
    if (!(error instanceof UnknownToLinear)) throw error
    return unreadAmongAll(linear, wanted, signal)
  }
}

function pageOf({ edges, page_info: info }: z.output<typeof Edges>): NotificationPage {
  return { notifications: edges.map(({ node }) => node), hasMore: info.has_next_page, endCursor: info.end_cursor ?? undefined }
}

/** Unread, and not put off until later: what the inbox shows. */
function isInInbox({ read_at: read, snoozed_until_at: snoozed }: z.output<typeof Notification>): boolean {
  return read == null && (snoozed == null || Date.parse(snoozed) <= Date.now())
}

async function unreadAmongAll(linear: LinearClient, { limit, after }: Wanted, signal: AbortSignal): Promise<NotificationPage> {
  const found: { cursor: string; node: z.output<typeof Notification> }[] = []
  let position = after
  for (let page = 0; page < mostPages; page += 1) {
    const { edges, page_info: info } = (await linear.run(allNotifications, { first: 50, after: position }, signal)).page
    found.push(...edges.filter(({ node }) => isInInbox(node)))
    if (found.length > limit) break
    position = info.end_cursor ?? undefined
    if (!info.has_next_page) return { notifications: found.map(({ node }) => node), hasMore: false, endCursor: undefined }
  }
  const taken = found.slice(0, limit)
  // Reading on starts behind the last row that was given out, not behind the last page that was read.
  return { notifications: taken.map(({ node }) => node), hasMore: true, endCursor: found.length > limit ? taken.at(-1)?.cursor : position }
}
