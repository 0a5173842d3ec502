import * as z from 'zod'
import type { IssueWithParts } from '../../linear/issues/issues.ts'
import { relationsOf } from '../../linear/issues/relations.ts'
import { CommentRow, commentRows, compact, CycleLine, cycleLine, IssueLine, issueLine, issueLines, peopleIn } from '../rows.ts'

const text = z.string()
const optionalText = text.optional()
const flag = z.boolean().optional()
const Named = z.object({ id: text, name: text })
const Person = Named.extend({ email: optionalText })
const lines = z.array(IssueLine).optional()

const Relations = z.object({
  blocks: lines,
  blocked_by: lines.describe('An issue whose state_type is completed or canceled no longer blocks.'),
  duplicate_of: lines,
  duplicated_by: lines,
  related: lines,
  has_more: flag,
})

/** One issue in full. */
export const IssueDetail = z.object({
  id: text,
  identifier: text,
  title: text,
  url: optionalText,
  description: optionalText,
  state: Named.extend({ type: text }),
  priority: optionalText,
  estimate: z.number().optional(),
  due_date: optionalText,
  assignee: Person.optional(),
  creator: Person.optional(),
  delegate: Named.optional(),
  team: Named.extend({ key: text }),
  project: Named.extend({ slug_id: text }).optional(),
  project_milestone: Named.optional(),
  cycle: CycleLine.optional(),
  parent: IssueLine.optional(),
  labels: z.array(Named.extend({ group: optionalText })).optional(),
  has_more_labels: flag,
  branch_name: optionalText,
  previous_identifiers: z.array(text).optional(),
  created_at: optionalText,
  updated_at: optionalText,
  started_at: optionalText,
  completed_at: optionalText,
  canceled_at: optionalText,
  archived_at: optionalText,
  trashed: flag,
  comments: z.array(CommentRow).optional(),
  has_more_comments: flag,
  attachments: z
    .array(
      z.object({
        title: text,
        subtitle: optionalText,
        url: text,
        source_type: optionalText,
        creator: optionalText,
        created_at: optionalText,
      }),
    )
    .optional(),
  has_more_attachments: flag,
  relations: Relations.optional(),
  children: lines,
  has_more_children: flag,
})

export function issueDetail(issue: IssueWithParts): z.output<typeof IssueDetail> {
  const { relations, inverse_relations: inverse, has_more_relations: more, has_more_inverse_relations: moreInverse, ...rest } = issue
  const person = peopleIn((issue.attachments ?? []).map(({ creator }) => creator))
  const related = relations && inverse && relationsOf(relations, inverse)
  return compact({
    ...rest,
    cycle: issue.cycle && cycleLine(issue.cycle),
    parent: issue.parent && issueLine(issue.parent),
    labels: issue.labels.map(({ id, name, parent }) => compact({ id, name, group: parent?.name })),
    comments: issue.comments && commentRows(issue.comments),
    attachments: issue.attachments?.map((each) => compact({ ...each, creator: person(each.creator) })),
    relations:
      related &&
      compact({
        blocks: related.blocks.map(issueLine),
        blocked_by: related.blocked_by.map((each) => ({ ...issueLine(each), state_type: each.state.type })),
        duplicate_of: related.duplicate_of.map(issueLine),
        duplicated_by: related.duplicated_by.map(issueLine),
        related: related.related.map(issueLine),
        has_more: more === true || moreInverse === true,
      }),
    children: issue.children && issueLines(issue.children),
  })
}
