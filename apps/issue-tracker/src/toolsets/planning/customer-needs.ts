import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/planning/workspace.ts'
import { nameFilters, projectFilter, readingsOf } from '../../linear/references.ts'
import { ofIssue } from '../../resolve/planning/of-issue.ts'
import { archivedFilterNotice } from '../../resolve/resolver.ts'
import { emptyNotice, noticesOf } from '../../tools/notices.ts'
import { endCursor, issueReference, limit, noticesField, projectReference, reference } from '../../tools/parameters.ts'
import { compact, peopleIn, projectsIn, optionalText } from '../../tools/rows.ts'

const NeedRow = z.object({
  customer: optionalText,
  body: optionalText.describe('What the customer asks for.'),
  important: z.boolean().optional(),
  issue: optionalText,
  project: optionalText,
  creator: optionalText,
  created_at: optionalText,
  url: optionalText,
})

function needRows(needs: readonly documents.CustomerNeed[]): z.output<typeof NeedRow>[] {
  const [person, project] = [peopleIn(needs.map(({ creator }) => creator)), projectsIn(needs.map((need) => need.project))]
  return needs.map(({ customer, body, priority, issue, project: about, creator, created_at, url }) =>
    compact({
      customer: customer?.name,
      body,
      // Linear uses the numbers 0 and 1 here, and we read 1 as urgent.
      important: priority === 'urgent',
      issue: issue?.identifier,
      project: project(about),
      creator: person(creator),
      created_at,
      url,
    }),
  )
}

export const listCustomerNeeds = defineTool({
  name: 'ListCustomerNeeds',
  title: 'List customer requests',
  description: Message.of(
    'List what customers ask for (customer requests, needs), newest first: of a project, an issue or one customer.',
    sentence`For the issue itself, use ${{ tool: 'IssueTracker.GetIssue' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({
    project: projectReference.optional(),
    issue: issueReference.optional(),
    customer: reference('Words of the name.').optional(),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ customer_needs: z.array(NeedRow), pagination: Pagination, ...noticesField }),
  example: {},
  async run({ limit, end_cursor, ...filters }, { linear, resolver }) {
    const { after, first, result, pagination } = startPaging(['ListCustomerNeeds', filters], { limit, end_cursor })
    const page = await resolver.list({ project: filters.project }, async ({ project: reference }) => {
      const project = reference === undefined ? undefined : projectFilter(...readingsOf(reference))
      return ofIssue(linear, filters.issue, async (issue) => {
        const conditions = [
          ...nameFilters(filters.customer).map((customer) => ({ customer })),
          ...[project && { project }, issue && { issue }].filter((each) => each !== undefined),
        ]
        const filter = conditions.length === 0 ? undefined : { and: conditions }
        return linear.send(documents.listCustomerNeeds, { first, after, filter, project, issue })
      })
    })
    return result({
      customer_needs: needRows(page.needs),
      pagination: pagination(page.has_more_needs, page.needs_end_cursor),
      ...noticesOf(emptyNotice('customer request', page.needs, { ...filters, after }), archivedFilterNotice(page.needs, page.project)),
    })
  },
})
