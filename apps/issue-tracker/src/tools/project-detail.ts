import * as z from 'zod'
import type { LongProject } from '../linear/projects.ts'
import { Priority } from '../linear/records.ts'
import { ShortDescription, withShortDescription } from './long-text.ts'
import { compact, IssueLine, issueLines, MemberRow, memberRows, peopleIn, projectRow, ProjectRow } from './rows.ts'

const text = z.string()
const Person = z.object({ id: text, name: text, email: text })

/** One project in full. */
export const ProjectDetail = ProjectRow.extend({
  id: text,
  url: text,
  status: text.describe('The name of the status; state is its type.'),
  lead: Person.optional(),
  creator: Person.optional(),
  priority: Priority,
  created_at: text,
  started_at: text.optional(),
  completed_at: text.optional(),
  canceled_at: text.optional(),
  ...ShortDescription.shape,
  project_updates: z
    .array(z.object({ user: text.optional(), body: text, health: text, created_at: text }))
    .optional()
    .describe('The latest five status posts.'),
  project_milestones: z
    .array(z.object({ name: text, description: text.optional(), target_date: text.optional(), status: text, progress: z.number() }))
    .optional(),
  has_more_project_milestones: z.boolean().optional(),
  members: z.array(MemberRow).optional(),
  has_more_members: z.boolean().optional(),
  issues: z.array(IssueLine).optional().describe('The ten that changed last.'),
  has_more_issues: z.boolean().optional(),
})

export function projectDetail(project: LongProject): z.output<typeof ProjectDetail> {
  const { status, lead, ...rest } = withShortDescription(project)
  const { teams, progress } = projectRow(project)
  const author = peopleIn(project.project_updates.map(({ user }) => user))
  return compact({
    ...rest,
    state: status.type,
    status: status.name,
    lead,
    teams,
    progress,
    project_updates: project.project_updates.map((post) => compact({ ...post, user: author(post.user) })),
    project_milestones: project.project_milestones?.map((each) => compact({ ...each })),
    members: project.members && memberRows(project.members),
    issues: project.issues && issueLines(project.issues),
  })
}
