import { withJsonSchema } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { priorities } from '../../linear/document.ts'
import type { NewAttachment } from '../../linear/issues/attachments.ts'
import { Priority } from '../../linear/records.ts'
import type { NewIssueIds } from '../../resolve/issues.ts'
import {
  dueDate,
  markdown,
  maxReference,
  pageTitle,
  pageUrl,
  points,
  reference,
  references,
  title,
  titleWithoutUrl,
} from '../parameters.ts'

/* A new issue's parameters, and the input sent for them. */

/** The default is published but not filled in, because the call must know whether the assignee was named. */
const assignee = withJsonSchema(reference('Name or email address of a member of the team.'), {
  default: '@me',
  type: 'string',
  maxLength: maxReference,
  description: 'Team member: name, email, "@me" (you) or "none".',
})

export const newIssueParameters = {
  team: reference('Key, name or id.'),
  title: title('One line.'),
  description: markdown().optional(),
  assignee: assignee.optional(),
  labels_to_add: references('Names or ids; group/label for one in a group.').optional(),
  priority: Priority.optional().describe('Default: no_priority.'),
  state: reference("State name, or type if only one has it; the team's default if omitted.").optional(),
  project: reference('A project of the team: name, slug, id or URL.').optional(),
  cycle: reference('Name, number, "current" or "next".').optional(),
  parent_issue: reference('Makes it a sub-issue: ENG-12, id or URL.').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  attachment_url: pageUrl.optional(),
  attachment_title: pageTitle.optional(),
}
const newIssue = z.object(newIssueParameters)
export type NewIssue = z.output<typeof newIssue>

const isNone = (person: string) => person.trim().toLowerCase() === 'none'

/** A new issue's references; the assignee is the caller unless the call names one. */
export function newIssueReferences({ assignee: named }: NewIssue): {
  readonly assignee: string | undefined
  readonly namesAssignee: boolean
} {
  const person = named ?? '@me'
  return { assignee: isNone(person) ? undefined : person, namesAssignee: named !== undefined }
}

/** A new issue's input, without its id. */
export function newIssueInput(args: NewIssue, { labelIds, ...ids }: NewIssueIds, description: string | undefined) {
  return {
    ...ids,
    title: args.title,
    description,
    labelIds: labelIds.length > 0 ? [...labelIds] : undefined,
    priority: args.priority === undefined ? undefined : priorities.indexOf(args.priority),
    estimate: args.estimate,
    dueDate: args.due_date,
  }
}

/** The page to attach to an issue, if any. */
export function newPage(args: Pick<NewIssue, 'attachment_url' | 'attachment_title'>): NewAttachment | undefined {
  const { attachment_url: url, attachment_title: urlTitle = url } = args
  if (urlTitle !== undefined && url === undefined) throw titleWithoutUrl()
  return url === undefined ? undefined : { url, title: urlTitle ?? url }
}
