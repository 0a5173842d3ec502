import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { Attached, createIssue as create, type CreatedIssue } from '../linear/issue-writes.ts'
import { priorities } from '../linear/presentation.ts'
import { Issue, Priority } from '../linear/records.ts'
import { resolveNewIssue } from '../resolve/issue.ts'
import { written } from './markdown.ts'
import { createdEarlier, noticeOf } from './notices.ts'
import { autoAccept } from './parameters.ts'
import { address, addressTitle, dueDate, markdown, names, noticed, points, reference, title } from './writing.ts'

export const createIssue = defineTool({
  name: 'CreateIssue',
  title: 'Create an issue',
  description:
    'Create an issue in a team. Every name is checked first; when one matches nothing, or more than one thing, nothing is created and the error lists what could be meant. Repeating a call whose answer was lost creates nothing twice; repeating one that was answered creates another issue.',
  effect: 'create',
  scopes: ['issues:create'],
  input: z.strictObject({
    team: reference('Key, name or id of the team.'),
    title: title('The title, one line.'),
    description: markdown('What it is about').optional(),
    assignee: reference('Name or e-mail address of a member of the team; "@me" is the current user, "none" nobody.').default('@me'),
    labels_to_add: names('Names or ids of labels; "group/label" tells apart labels of the same name.').optional(),
    priority: Priority.optional().describe('The priority.'),
    state: reference("Name of one of the team's workflow states; its default state if left out.").optional(),
    project: reference('Name, slug, id or URL of a project that the team takes part in.').optional(),
    cycle: reference('Name or number of a cycle of the team, or "current" or "next".').optional(),
    parent_issue: reference('The issue that this becomes a sub-issue of: its identifier (ENG-12), id or URL.').optional(),
    estimate: points.optional(),
    due_date: dueDate.optional(),
    attachment_url: address.optional(),
    attachment_title: addressTitle.optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: Issue, attachment: Attached.optional(), ...noticed }),
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const { attachment_url: url, attachment_title: called = url, assignee, description, ...named } = args
    if (called !== undefined && url === undefined) throw new InvalidInput('"attachment_title" needs an "attachment_url".')
    const isAssigned = assignee.trim().toLowerCase() !== 'none'
    const ids = await resolveNewIssue(linear, { ...named, assignee: isAssigned ? assignee : undefined }, signal)
    const text = description === undefined ? undefined : written(description)
    const input = {
      teamId: ids.teamId,
      title: named.title,
      description: text?.text,
      assigneeId: ids.assigneeId,
      labelIds: ids.addedLabelIds.length > 0 ? [...ids.addedLabelIds] : undefined,
      priority: named.priority === undefined ? undefined : priorities.indexOf(named.priority),
      stateId: ids.stateId,
      projectId: ids.projectId,
      cycleId: ids.cycleId,
      parentId: ids.parentId,
      estimate: named.estimate,
      dueDate: named.due_date,
    }
    const attachment = url === undefined ? undefined : { url, title: called ?? url }
    const created = await identities.run(
      ['CreateIssue', args],
      (id) => create(linear, { input: { ...input, id }, attachment }, signal),
      signal,
    )
    return {
      issue: created.issue,
      ...(created.attachment && { attachment: created.attachment }),
      ...noticeOf(text?.notice, ...noticesOf(created)),
    }
  },
})

function noticesOf({ earlier, notAttached }: CreatedIssue): (string | undefined)[] {
  return [createdEarlier(earlier), notAttached && `The issue was created, but the URL was not attached: ${notAttached.message}`]
}
