import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { recentIssues } from '../linear/issues/issues.ts'
import { notificationPage } from '../linear/notifications.ts'
import * as documents from '../linear/workspace.ts'
import { emptyNotice, moreNotice, noticesOf } from './notices.ts'
import { endCursor, limit, noticesField } from './parameters.ts'
import { compact, IssueRow, issuePrinter, peopleIn, text, optionalText, flag } from './rows.ts'

const User = z.object({
  id: text,
  name: text,
  display_name: optionalText,
  email: optionalText,
  admin: flag,
  guest: flag,
  app: flag,
  timezone: optionalText,
  url: optionalText,
  organization: z.object({ id: text, name: text, url_key: text }),
  teams: z.array(z.object({ key: text, name: text, archived_at: optionalText })),
  has_more_teams: flag,
})

export const whoAmI = defineTool({
  name: 'WhoAmI',
  title: 'Who am I',
  description: Message.of(
    'Show who I am in Linear (whoami): the current user\'s account and profile, organization and the teams I belong to. Other tools take "@me" for this user.',
    sentence`For all teams, use ${{ tool: 'IssueTracker.ListTeams' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({}),
  output: z.object({ user: User }),
  example: {},
  async run(_args, { linear, person }) {
    const { teams, ...viewer } = (await linear.send(documents.whoAmI, {})).viewer
    person.timeZone = viewer.timezone
    return { user: { ...compact(viewer), teams } }
  },
})

const Notification = z.object({
  type: text.describe('Such as issueMention.'),
  unread: flag,
  created_at: optionalText,
  snoozed_until_at: optionalText,
  actor: optionalText,
  title: optionalText,
  subtitle: optionalText,
  issue: optionalText,
  comment_id: optionalText,
  comment: optionalText,
  project: optionalText,
  initiative: optionalText,
})

export const getNotifications = defineTool({
  name: 'GetNotifications',
  title: 'Read notifications',
  description: Message.of(
    'Read my notifications (inbox), latest first: who mentioned me, new comments, assignments and state changes. Nothing is marked as read.',
    sentence`For my issues, use ${{ tool: 'IssueTracker.GetRecentActivity' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit or unread_only.',
  input: z.strictObject({
    unread_only: z.boolean().default(false).describe('Only unread ones.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ notifications: z.array(Notification), pagination: Pagination, ...noticesField }),
  example: { limit: 10 },
  async run({ unread_only: unreadOnly, ...args }, { linear, clock }) {
    const { after, first, result, pagination } = startPaging(['GetNotifications', unreadOnly], args)
    const page = await notificationPage(linear, { unreadOnly, limit: first, after }, clock)
    const person = peopleIn(page.notifications.map(({ actor }) => actor))
    const rows = page.notifications.map(({ type, actor, bot_actor: bot, external_user_actor: external, issue, comment, ...rest }) =>
      compact({
        type,
        unread: rest.read_at === undefined,
        created_at: rest.created_at,
        snoozed_until_at: rest.snoozed_until_at,
        actor: person(actor) ?? bot?.name ?? external?.name,
        // An issue notification's title begins with the issue's identifier.
        title: rest.title?.replace(`${issue?.identifier} `, ''),
        subtitle: comment ? undefined : rest.subtitle,
        issue: issue?.identifier,
        comment_id: comment?.id,
        comment: comment?.body,
        project: rest.project?.name,
        initiative: rest.initiative?.name,
      }),
    )
    return result({
      notifications: rows,
      pagination: pagination(page.hasMore, page.endCursor),
      ...noticesOf(emptyNotice('notification', rows, { unread_only: unreadOnly || undefined, after })),
    })
  },
})

export const getRecentActivity = defineTool({
  name: 'GetRecentActivity',
  title: 'Recent activity',
  description: Message.of(
    'Show my recent activity, what I worked on: issues that I created in the last N days, and those assigned to me that changed, most recent first.',
    sentence`For all issues, use ${{ tool: 'IssueTracker.ListIssues' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit or fewer days.',
  input: z.strictObject({ days: z.int().min(1).max(90).default(30).describe('Days to look back.'), limit }),
  output: z.object({
    issues: z.array(IssueRow.extend({ reason: z.enum(['created', 'assigned']).describe('Why the issue is listed.') })),
    pagination: Pagination,
    ...noticesField,
  }),
  example: {},
  async run({ days, limit: first }, { linear, clock }) {
    const { issues, has_more_issues: hasMore } = await linear.send(recentIssues, { first, since: `-P${days}D` })
    const since = clock.now() - days * 24 * 60 * 60 * 1000
    const print = issuePrinter(issues)
    const rows = issues.map((issue) => {
      const isCreated = issue.creator?.is_me === true && Date.parse(issue.created_at ?? '') >= since
      return { ...print(issue), reason: isCreated ? ('created' as const) : ('assigned' as const) }
    })
    return {
      issues: rows,
      pagination: { has_more: hasMore, end_cursor: null },
      ...noticesOf(
        issues.length > 0 ? undefined : noActivity(days),
        moreNotice(hasMore, first < 50 && 'raise limit (up to 50)', days > 1 && 'ask for fewer days'),
      ),
    }
  },
})

function noActivity(days: number): string {
  const more = days < 90 ? ' To find more, ask for more days (up to 90).' : ''
  return `In the last ${days} days you created no issues, and no issue assigned to you changed.${more}`
}
