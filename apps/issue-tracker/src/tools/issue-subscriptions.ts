import * as z from 'zod'
import { defineTool } from '../context.ts'
import { subscribe, unsubscribe } from '../linear/issue-writes.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { issueReference } from './parameters.ts'

export const manageIssueSubscription = defineTool({
  name: 'ManageIssueSubscription',
  title: 'Follow or leave an issue',
  description: 'Subscribe the current user to the notifications of an issue, or unsubscribe. Doing it again changes nothing.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    subscribe: z.boolean().describe('true subscribes, false unsubscribes.'),
  }),
  output: z.object({ issue: IssueRef, subscribed: z.boolean().describe('Whether the current user is subscribed now.') }),
  async run({ issue: given, subscribe: wanted }, { linear }, { signal }) {
    const id = issueNamed(given)
    const { done } = await sought(issueSought(id), linear.run(wanted ? subscribe : unsubscribe, { id }, signal))
    const { subscribers, ...issue } = done.issue
    return { issue, subscribed: subscribers.length > 0 }
  },
})
