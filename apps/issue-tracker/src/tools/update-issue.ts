import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { Attached, updateIssue as update, updateIssueAttaching } from '../linear/issue-writes.ts'
import { priorities } from '../linear/presentation.ts'
import { Issue, Priority } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { resolveIssueChange } from '../resolve/issue-change.ts'
import type { IssueIds } from '../resolve/issue.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { written } from './markdown.ts'
import { noticeOf } from './notices.ts'
import { autoAccept, issueReference } from './parameters.ts'
import { address, addressTitle, dueDate, markdown, names, noticed, points, reference, title } from './writing.ts'

/** What can be taken from an issue, and Linear's name for it. */
const clearable = { assignee: 'assigneeId', cycle: 'cycleId', project: 'projectId', due_date: 'dueDate', estimate: 'estimate' } as const
const clearableNames = ['assignee', 'cycle', 'project', 'due_date', 'estimate'] as const

const changes = {
  title: title('A new title.').optional(),
  description: markdown('A new description in place of the old one').optional(),
  assignee: reference('Name or e-mail address of a member of the team, or "@me".').optional(),
  priority: Priority.optional().describe('A new priority; "no_priority" takes it away.'),
  state: reference("Name of one of the team's workflow states.").optional(),
  project: reference('Name, slug or id of a project that the team takes part in.').optional(),
  cycle: reference('Name or number of a cycle of the team, or "current" or "next".').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  labels_to_add: names('Names or ids of labels; the labels it has stay.').optional(),
  labels_to_remove: names('Names or ids of labels.').optional(),
  fields_to_clear: z.array(z.enum(clearableNames)).optional().describe('Fields to leave empty.'),
  attachment_url: address.optional(),
  attachment_title: addressTitle.optional(),
}

const input = z.strictObject({ issue_id: issueReference, ...changes, auto_accept_matches: autoAccept })
type Arguments = z.output<typeof input>

export const updateIssue = defineTool({
  name: 'UpdateIssue',
  title: 'Update an issue',
  description:
    'Change an issue: only what is given changes, everything else stays. Every name is checked first; when one matches nothing, or more than one thing, nothing is changed and the error lists what could be meant.',
  effect: 'update',
  scopes: ['write'],
  input,
  output: z.object({ issue: Issue, attachment: Attached.optional(), ...noticed }),
  async run(args, { linear }, { signal }) {
    refuseContradictions(args)
    const id = issueNamed(args.issue_id)
    const { attachment_url: url, attachment_title: called } = args
    const mayDrop = given(args).some((name) => name !== 'estimate' && name !== 'cycle')
    const found = mustLook(args) ? await resolveIssueChange(linear, { issue: id, named: args, url, mayDrop }, signal) : undefined
    const text = args.description === undefined ? undefined : written(args.description)
    const target = { id: found?.issue.id ?? id, input: { ...inputOf(args, text?.text), ...(found && idsIn(found.ids)) } }
    const kept = called === undefined ? found?.attached : undefined
    const notice = noticeOf(text?.notice, kept && 'The URL was attached already.')
    if (url !== undefined && !kept) {
      const both = { ...target, attachment: { url, title: called ?? url } }
      return { ...(await sought(issueSought(id), updateIssueAttaching(linear, both, signal))), ...notice }
    }
    const isSame = found && Object.values(target.input).every((value) => value === undefined)
    const { issue } = isSame ? found : (await sought(issueSought(id), linear.run(update, target, signal))).issue_update
    return { issue, ...(kept && { attachment: kept }), ...notice }
  },
})

/** The parameters that change something. */
function given(args: Arguments): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    name in changes && value !== undefined && !(Array.isArray(value) && value.length === 0) ? [name] : [],
  )
}

function refuseContradictions(args: Arguments): void {
  const { fields_to_clear: cleared = [], attachment_url: url, attachment_title: called, assignee } = args
  if (given(args).length === 0) {
    const clearing = `To empty one of ${clearableNames.join(', ')}, name it in fields_to_clear; null leaves it as it is.`
    throw new InvalidInput(`Nothing to change. Give at least one of ${Object.keys(changes).join(', ')}. ${clearing}`)
  }
  if (called !== undefined && url === undefined) throw new InvalidInput('"attachment_title" needs an "attachment_url".')
  const both = cleared.filter((field) => args[field] !== undefined)
  if (both.length > 0) throw new InvalidInput(`${both.join(', ')} cannot be set and cleared at once. Leave one of the two out.`)
  if (assignee?.trim().toLowerCase() === 'none') {
    throw new InvalidInput('To leave the issue unassigned, name "assignee" in fields_to_clear.', {
      next: { change: { assignee: null, fields_to_clear: [...cleared, 'assignee'] } },
    })
  }
}

/** Whether anything must be looked up before the change: names, the scale of an estimate, what is attached under the address. */
function mustLook({ assignee, state, project, cycle, estimate, ...args }: Arguments): boolean {
  const names = [assignee, state, project, cycle, estimate, args.labels_to_add, args.labels_to_remove]
  return names.some((each) => each !== undefined) || (args.attachment_url !== undefined && args.attachment_title === undefined)
}

function inputOf({ title: called, priority, estimate, due_date: due, fields_to_clear: cleared = [] }: Arguments, text?: string) {
  return {
    title: called,
    description: text,
    priority: priority === undefined ? undefined : priorities.indexOf(priority),
    estimate,
    dueDate: due,
    ...Object.fromEntries(cleared.map((field) => [clearable[field], null])),
  }
}

function idsIn({ assigneeId, stateId, projectId, cycleId, addedLabelIds: added, removedLabelIds: removed }: IssueIds) {
  return {
    ...Object.fromEntries(Object.entries({ assigneeId, stateId, projectId, cycleId }).filter(([, id]) => id !== undefined)),
    ...(added.length > 0 && { addedLabelIds: [...added] }),
    ...(removed.length > 0 && { removedLabelIds: [...removed] }),
  }
}
