import * as z from 'zod'
import type { CycleRow } from '../linear/teams.ts'
import type { InitiativeRow as InitiativeRecord } from '../linear/initiatives.ts'
import { initiativeStatus } from '../linear/initiatives.ts'
import type { LongProject, ProjectRow as ProjectRecord } from '../linear/projects.ts'
import { type Comment, type Cycle, type Issue, type IssueRef, type LabelRef, type Person, type ProjectRef } from '../linear/records.ts'
import { ShortDescription, withShortDescription } from './long-text.ts'

/**
 * Fields as printed in lists: names instead of records, and an id only if a tool accepts nothing else. Every name is accepted as
 * a reference.
 */
export const text = z.string()
export const optionalText = text.optional()
export const flag = z.boolean().optional()
const day = optionalText.describe('YYYY-MM-DD')

/**
 * Omits meaningless values from a new record: undefined, `false`, empty strings and lists. Fields that can have such values must be
 * optional in the result's schema.
 */
export function compact<Row extends object>(row: Row): Row {
  const fields: [string, unknown][] = Object.entries(row)
  for (const [name, value] of fields) {
    if (value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0))
      Reflect.deleteProperty(row, name)
  }
  return row
}

type Named = Pick<z.output<typeof Person>, 'id' | 'name'>

/**
 * Names the records in one result, and distinguishes namesakes.
 * @param print the printed form of a record whose name is not unique
 */
export function namesOf<Record extends Named>(
  records: readonly (Record | undefined)[],
  print: (record: Record) => string,
): (record: Record | undefined) => string | undefined {
  const owners = new Map<string, Set<string>>()
  for (const record of records) {
    if (!record) continue
    const name = record.name.toLowerCase()
    owners.set(name, (owners.get(name) ?? new Set()).add(record.id))
  }
  return (record) => record && ((owners.get(record.name.toLowerCase())?.size ?? 0) > 1 ? print(record) : record.name)
}

/** People in one result by name; namesakes with their email addresses. */
export const peopleIn = (people: readonly (z.output<typeof Person> | undefined)[]) =>
  namesOf(people, ({ name, email, id }) => `${name} (${email ?? id})`)

/** Projects in one result by name; namesakes with their slugs. */
export const projectsIn = (projects: readonly (z.output<typeof ProjectRef> | undefined)[]) =>
  namesOf(projects, ({ name, slug_id: slug }) => `${name} (slug ${slug})`)

type Label = z.output<typeof LabelRef>
const labelsIn = (labels: readonly Label[]) => namesOf(labels, ({ name, parent }) => (parent ? `${parent.name}/${name}` : name))

/** A cycle by its name, or its number if it has none. */
export function cycleName({ name, number }: Pick<z.output<typeof Cycle>, 'name' | 'number'>): string {
  return name ?? `Cycle ${number}`
}

export const IssueRow = z.object({
  identifier: text,
  title: text,
  state: text,
  priority: optionalText,
  assignee: optionalText,
  labels: z.array(text).optional(),
  has_more_labels: flag,
  project: optionalText,
  cycle: optionalText,
  parent: optionalText.describe('Its parent issue.'),
  estimate: z.number().optional(),
  due_date: day,
  updated_at: optionalText.describe('The day, in UTC.'),
})

/** An issue with the app it is delegated to, which lists omit. */
export const DelegatedRow = IssueRow.extend({ delegate: optionalText })
type DelegatedIssue = z.output<typeof Issue> & { readonly delegate?: Named | undefined }

/** Prints the issues in one list. The day is enough to show which issues are stale, and times would take up a sixth of a page of 50. */
export function issuePrinter(issues: readonly DelegatedIssue[]): (issue: DelegatedIssue) => z.output<typeof DelegatedRow> {
  const person = peopleIn(issues.map(({ assignee }) => assignee))
  const project = projectsIn(issues.map((issue) => issue.project))
  const label = labelsIn(issues.flatMap(({ labels }) => labels))
  return (issue) =>
    compact({
      identifier: issue.identifier,
      title: issue.title,
      state: issue.state.name,
      priority: issue.priority === 'no_priority' ? undefined : issue.priority,
      assignee: person(issue.assignee),
      delegate: issue.delegate?.name,
      labels: issue.labels.flatMap((each) => label(each) ?? []),
      has_more_labels: issue.has_more_labels,
      project: project(issue.project),
      cycle: issue.cycle && cycleName(issue.cycle),
      parent: issue.parent?.identifier,
      estimate: issue.estimate,
      due_date: issue.due_date,
      updated_at: issue.updated_at?.slice(0, 10),
    })
}

/** An issue as a write returns it. */
export const WrittenIssue = DelegatedRow.extend({
  created_at: optionalText,
  updated_at: optionalText,
  archived_at: optionalText,
  url: optionalText,
})
export function writtenIssue(issue: DelegatedIssue): z.output<typeof WrittenIssue> {
  const { created_at, updated_at, archived_at, url } = issue
  return compact({ ...issuePrinter([issue])(issue), created_at, updated_at, archived_at, url })
}

/** An issue, as part of another record. */
export const IssueLine = z.object({
  identifier: text,
  title: text,
  state: text,
  state_type: optionalText,
  priority: optionalText,
  assignee: optionalText,
  estimate: z.number().optional(),
  updated_at: optionalText,
})

type LineRecord = z.output<typeof IssueRef> & Partial<Pick<z.output<typeof Issue>, 'priority' | 'assignee' | 'estimate' | 'updated_at'>>

/** Issues, as part of another record. */
export function issueLines(issues: readonly LineRecord[]): z.output<typeof IssueLine>[] {
  const person = peopleIn(issues.map(({ assignee }) => assignee))
  return issues.map(({ identifier, title, state, priority, assignee, estimate, updated_at: updatedAt }) =>
    compact({
      ...{ identifier, title, state: state.name, estimate, updated_at: updatedAt },
      priority: priority === 'no_priority' ? undefined : priority,
      assignee: person(assignee),
    }),
  )
}

export function issueLine(issue: LineRecord): z.output<typeof IssueLine> {
  return { ...issueName(issue), ...issueLines([issue])[0] }
}

/** An issue's identifier, title and state. */
export const IssueName = IssueLine.pick({ identifier: true, title: true, state: true })
export function issueName({ identifier, title, state }: z.output<typeof IssueRef>): z.output<typeof IssueName> {
  return { identifier, title, state: state.name }
}

export const CommentRow = z.object({
  id: text,
  user: optionalText.describe('Who wrote it.'),
  body: text,
  quoted_text: optionalText.describe('The passage of the description that it is about.'),
  parent_id: optionalText.describe('The comment that it replies to.'),
  created_at: optionalText,
  edited_at: optionalText,
  resolved_at: optionalText,
})

export function commentRows(comments: readonly z.output<typeof Comment>[]): z.output<typeof CommentRow>[] {
  const person = peopleIn(comments.map(({ user }) => user))
  return comments.map(({ user, bot_actor: bot, external_user: external, id, body, ...rest }) =>
    compact({ id, user: person(user) ?? bot?.name ?? external?.name, body, ...rest }),
  )
}

const share = (progress: number | undefined) => (progress === undefined ? undefined : Math.round(progress * 100) / 100)

/** A project in a list. */
export const ProjectLine = z.object({
  name: text,
  slug_id: text,
  state: text,
  progress: z.number().optional().describe('0 to 1.'),
  health: optionalText,
  lead: optionalText,
  teams: z.array(text).optional().describe('Keys.'),
  has_more_teams: flag,
  target_date: day,
  archived_at: optionalText,
})
/** A project as a write returns it. */
export const ProjectRow = ProjectLine.extend({ start_date: day, updated_at: optionalText })

type ListedProject = Pick<
  z.output<typeof ProjectRecord>,
  'name' | 'slug_id' | 'status' | 'progress' | 'health' | 'lead' | 'start_date' | 'target_date'
> &
  Partial<Pick<z.output<typeof ProjectRecord>, 'teams' | 'has_more_teams' | 'updated_at' | 'archived_at'>>

export function projectLines(projects: readonly ListedProject[]): z.output<typeof ProjectLine>[] {
  const lead = peopleIn(projects.map((project) => project.lead))
  return projects.map((project) => projectLine(project, lead))
}

function projectLine(project: ListedProject, lead = peopleIn([project.lead])): z.output<typeof ProjectLine> {
  return compact({
    name: project.name,
    slug_id: project.slug_id,
    state: project.status.type,
    progress: share(project.progress),
    health: project.health,
    lead: lead(project.lead),
    teams: project.teams?.map(({ key }) => key),
    has_more_teams: project.has_more_teams,
    target_date: project.target_date,
    archived_at: project.archived_at,
  })
}

export function projectRow(project: ListedProject): z.output<typeof ProjectRow> {
  return compact({ ...projectLine(project), start_date: project.start_date, updated_at: project.updated_at })
}

export const InitiativeRow = z.object({
  id: text,
  name: text,
  status: text,
  health: optionalText,
  owner: optionalText,
  target_date: day,
  updated_at: optionalText,
  archived_at: optionalText,
})

export function initiativeRow(
  { id, name, status, health, owner, ...dates }: z.output<typeof InitiativeRecord>,
  person = peopleIn([owner]),
): z.output<typeof InitiativeRow> {
  const { target_date: target, updated_at: updatedAt, archived_at: archivedAt } = dates
  const row = { id, name, status: initiativeStatus(status), health, owner: person(owner) }
  return compact({ ...row, target_date: target, updated_at: updatedAt, archived_at: archivedAt })
}

export const CycleLine = z.object({
  id: text,
  team: optionalText.describe('Its key.'),
  number: z.number(),
  name: optionalText,
  status: z.enum(['current', 'next', 'previous', 'past', 'future']),
  starts_at: optionalText,
  ends_at: optionalText,
  progress: z.number().optional().describe('0 to 1.'),
})

export function cycleLine(cycle: z.output<typeof Cycle> & Partial<z.output<typeof CycleRow>>): z.output<typeof CycleLine> {
  const { id, team, number, name, starts_at: start, ends_at: end, progress } = cycle
  const status = cycle.is_active
    ? 'current'
    : cycle.is_next
      ? 'next'
      : cycle.is_previous === true
        ? 'previous'
        : cycle.is_past
          ? 'past'
          : 'future'
  return compact({ id, team: team?.key, number, name, status, starts_at: start, ends_at: end, progress: share(progress) })
}

/** A member of a team or a project. */
export const MemberRow = z.object({ name: text, email: optionalText, deactivated: flag })
export function memberRows(members: readonly (z.output<typeof Person> & { readonly active: boolean })[]): z.output<typeof MemberRow>[] {
  return members.map(({ name, email, active }) => compact({ name, email, deactivated: !active }))
}

export const StateRow = z.object({ name: text, type: text, description: optionalText })

/** A URL that is attached to an issue. */
export const Link = z.object({ title: text, url: text })
export const linkOf = ({ title, url }: z.output<typeof Link>): z.output<typeof Link> => ({ title, url })

const PersonDetail = z.object({ id: text, name: text, email: optionalText })

/** One project in full. */
export const ProjectDetail = ProjectRow.extend({
  id: text,
  url: optionalText,
  status: text.describe('The name of the status; state is its type.'),
  lead: PersonDetail.optional(),
  creator: PersonDetail.optional(),
  priority: optionalText,
  created_at: optionalText,
  started_at: optionalText,
  completed_at: optionalText,
  canceled_at: optionalText,
  ...ShortDescription.shape,
  project_updates: z
    .array(z.object({ user: optionalText, body: text, health: optionalText, created_at: optionalText }))
    .optional()
    .describe('The latest five status posts.'),
  project_milestones: z
    .array(
      z.object({
        name: text,
        description: optionalText,
        target_date: optionalText,
        status: optionalText,
        progress: z.number().optional(),
      }),
    )
    .optional(),
  has_more_project_milestones: flag,
  members: z.array(MemberRow).optional(),
  has_more_members: flag,
  issues: z.array(IssueLine).optional().describe('The ten most recently changed.'),
  has_more_issues: flag,
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
