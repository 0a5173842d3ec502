import * as z from 'zod'
import { operation } from './operation.ts'
import { Issue, Person } from './records.ts'

/** Who the credentials are for: one request for person, organization and teams. */
export const whoAmI = operation()(
  `query WhoAmI { viewer {
    id name displayName email active admin guest app timezone url
    organization { id name urlKey }
    teams(first: 50) { nodes { id key name description visibility archivedAt } pageInfo { hasNextPage } }
  } }`,
  z.object({
    viewer: Person.extend({
      email: z.string(),
      active: z.boolean(),
      admin: z.boolean(),
      guest: z.boolean(),
      app: z.boolean(),
      timezone: z.string().nullish(),
      url: z.string(),
      organization: z.object({ id: z.string(), name: z.string(), url_key: z.string() }),
      teams: z.array(
        z.object({
          id: z.string(),
          key: z.string(),
          name: z.string(),
          description: z.string().nullish(),
          archived_at: z.string().nullish(),
        }),
      ),
      has_more_teams: z.boolean(),
    }),
  }),
)

/** Issues that the caller created, or that are assigned to the caller and changed, since a moment. */
export const recentActivity = operation<{ first: number; since: string }>()(
  `query GetRecentActivity($first: Int!, $since: DateTimeOrDuration!) {
    issues(first: $first, orderBy: updatedAt, filter: { or: [
      { creator: { isMe: { eq: true } }, createdAt: { gte: $since } }
      { assignee: { isMe: { eq: true } }, updatedAt: { gte: $since } }
    ] }) { nodes { ...Issue creator { id isMe } } pageInfo { hasNextPage } }
  }`,
  z.object({ issues: z.array(Issue.extend({ creator: z.object({ is_me: z.boolean() }).nullish() })), has_more_issues: z.boolean() }),
)
