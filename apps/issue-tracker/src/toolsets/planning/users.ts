import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/planning/workspace.ts'
import { nameFilters } from '../../linear/references.ts'
import { emptyNotice, keywordsNotice, noticesOf } from '../../tools/notices.ts'
import { endCursor, keywords, limit, noticesField } from '../../tools/parameters.ts'
import { compact, text, optionalText, flag } from '../../tools/rows.ts'

const UserRow = z.object({
  name: text,
  email: optionalText,
  display_name: optionalText,
  title: optionalText,
  admin: flag,
  guest: flag,
  app: flag.describe('An app or agent: work is delegated to it, not assigned.'),
  deactivated: flag,
  teams: z.array(text).optional().describe('Keys.'),
  has_more_teams: flag,
})

function userRow({
  name,
  email,
  display_name,
  title,
  admin,
  guest,
  app,
  active,
  teams,
  has_more_teams,
}: documents.User): z.output<typeof UserRow> {
  const row = { name, email, display_name, title, admin, guest, app, deactivated: !active }
  return compact({ ...row, teams: teams.map(({ key }) => key), has_more_teams })
}

/** Filter for users with every word in their name, short name or email address. */
const userFilters = (text: string | undefined) =>
  nameFilters(text).map(({ name }) => ({ or: [{ name }, { displayName: name }, { email: name }] }))

export const listUsers = defineTool({
  name: 'ListUsers',
  title: 'List people',
  description: Message.of(
    'List the people (users, members) of the workspace, or find some by name or email address: who they are, and their teams.',
    sentence`For one team's, use ${{ tool: 'IssueTracker.GetTeam' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({
    keywords: keywords('Words that must all be in the name or email address.'),
    include_deactivated: z.boolean().default(false).describe('Include people who have left.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ users: z.array(UserRow), pagination: Pagination, ...noticesField }),
  example: { keywords: 'ada' },
  async run({ limit, end_cursor, ...filters }, { linear }) {
    const { keywords: text, include_deactivated: disabled } = filters
    const { after, first, result, pagination } = startPaging(['ListUsers', filters], { limit, end_cursor })
    const conditions = userFilters(text)
    const filter = conditions.length === 0 ? undefined : { and: conditions }
    const page = await linear.send(documents.listUsers, { first, after, filter, disabled })
    return result({
      users: page.users.map(userRow),
      pagination: pagination(page.has_more_users, page.users_end_cursor),
      ...noticesOf(
        emptyNotice('person', page.users, { keywords: text, after }, ...(disabled ? [] : ['pass include_deactivated'])),
        keywordsNotice(text, page.users, 'include_deactivated'),
      ),
    })
  },
})
