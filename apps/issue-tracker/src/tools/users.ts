import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { recentIssues } from '../linear/issues.ts'
import { Notification, notificationPage } from '../linear/notifications.ts'
import { Issue } from '../linear/records.ts'
import * as documents from '../linear/workspace.ts'
import { emptyNotice, moreNotice } from './notices.ts'
import { endCursor, limit, noticeField } from './parameters.ts'

export const whoAmI = defineTool({
  name: 'WhoAmI',
  title: 'Who am I',
  description: 'The person that this server acts as: name, e-mail address, organization and teams. "@me" means this person in every tool.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({}),
  output: z.object({ user: documents.whoAmI.data.shape.viewer }),
  async run(_args, { linear }) {
    return { user: (await linear.run(documents.whoAmI, {})).viewer }
  },
})

export const getNotifications = defineTool({
  name: 'GetNotifications',
  title: 'Read notifications',
  description:
    'Notifications of the current user, newest first: mentions, comments, assignments, state changes. Reading them does not mark them as read.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    unread_only: z.boolean().default(false).describe('Only unread ones.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ notifications: z.array(Notification), pagination: Pagination, ...noticeField }),
  async run({ unread_only: unreadOnly, limit, end_cursor: cursor }, { linear, clock }) {
    const { after, pagination } = startPaging(['GetNotifications', unreadOnly], cursor)
    const page = await notificationPage(linear, { unreadOnly, limit, after }, clock)
    return {
      notifications: [...page.notifications],
      pagination: pagination(page.hasMore, page.endCursor),
      ...emptyNotice('notification', page.notifications, { unread_only: unreadOnly || undefined }),
    }
  },
})

export const getRecentActivity = defineTool({
  name: 'GetRecentActivity',
  title: 'Recent activity',
  description:
    'Issues that the current user created in the last days, and issues assigned to the user that changed in those days, whenever they were assigned; last changed first.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ days: z.int().min(1).max(90).default(30).describe('How many days back, 1 to 90.'), limit }),
  output: z.object({
    issues: z.array(Issue.extend({ reason: z.enum(['created', 'assigned']).describe('Why it is here.') })),
    pagination: Pagination,
    ...noticeField,
  }),
  async run({ days, limit: first }, { linear, clock }) {
    const { issues, has_more_issues: hasMore } = await linear.run(recentIssues, { first, since: `-P${days}D` })
    const since = clock.now() - days * 24 * 60 * 60 * 1000
    const withReason = issues.map(({ creator, ...issue }) => {
      const isCreated = creator?.is_me === true && Date.parse(issue.created_at) >= since
      return { ...issue, reason: isCreated ? ('created' as const) : ('assigned' as const) }
    })
    return {
      issues: withReason,
      pagination: { has_more: hasMore, end_cursor: null },
      ...emptyNotice('issue of yours', issues, { days }),
      ...moreNotice(hasMore, first < 50 && 'raise limit (up to 50)', days > 1 && 'ask for fewer days'),
    }
  },
})
