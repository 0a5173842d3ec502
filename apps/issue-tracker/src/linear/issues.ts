import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type Paged, type TeamCheck } from './operation.ts'
import { Comment, Cycle, Issue, IssueRef, LabelRef, ListedTeam, Member, Person, Priority, ProjectRef, State, TeamRef } from './records.ts'

const named = z.array(z.object({ id: z.string(), name: z.string() }))

/** The filter of the list, and of each name in it, by which it is checked; a check without `has…` is left out. */
export interface IssueVariables extends TeamCheck {
  readonly filter: Linear.IssueFilter | undefined
  readonly state: Linear.WorkflowStateFilter | undefined
  readonly hasState: boolean
  readonly assignee: Linear.UserFilter | undefined
  readonly hasAssignee: boolean
  readonly label: Linear.IssueLabelFilter | undefined
  readonly hasLabel: boolean
  readonly project: Linear.ProjectFilter | undefined
  readonly hasProject: boolean
}

/**
 * Issues, and for each name that is filtered by whether anything has it: an empty list alone would not tell. In the order of their
 * creation, which no change moves: pages neither skip nor repeat one.
 */
export const listIssues = operation<IssueVariables & Paged>()(
  `query ListIssues(
    $first: Int!, $after: String, $filter: IssueFilter
    $team: TeamFilter, $hasTeam: Boolean!, $state: WorkflowStateFilter, $hasState: Boolean!, $assignee: UserFilter, $hasAssignee: Boolean!
    $label: IssueLabelFilter, $hasLabel: Boolean!, $project: ProjectFilter, $hasProject: Boolean!
  ) {
    issues(first: $first, after: $after, filter: $filter, orderBy: createdAt) { nodes { ...Issue } pageInfo { ...Page } }
    team: teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam) { nodes { ...TeamRef archivedAt states(first: 50) @include(if: $hasState) { nodes { ...State } } } }
    state: workflowStates(first: 1, filter: $state) @include(if: $hasState) { nodes { id name } }
    assignee: users(first: 2, filter: $assignee) @include(if: $hasAssignee) { nodes { id name email } }
    label: issueLabels(first: 20, filter: $label) @include(if: $hasLabel) { nodes { id name team { ...TeamRef } } }
    project: projects(first: 2, includeArchived: true, filter: $project) @include(if: $hasProject) {
      nodes { id name url archivedAt teams(first: 3) { nodes { ...TeamRef } } }
    }
  }`,
  z.object({
    issues: z.array(Issue),
    has_more_issues: z.boolean(),
    issues_end_cursor: z.string().nullish(),
    team: z.array(ListedTeam.extend({ states: z.array(State).optional() })).optional(),
    state: named.optional(),
    assignee: z.array(z.object({ id: z.string(), name: z.string(), email: z.string() })).optional(),
    label: z.array(LabelRef.extend({ team: TeamRef.nullish() })).optional(),
    project: z
      .array(z.object({ id: z.string(), name: z.string(), url: z.string(), archived_at: z.string().nullish(), teams: z.array(TeamRef) }))
      .optional(),
  }),
)

const Related = z.object({ id: z.string(), type: z.string() })

export const Attachment = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string().nullish(),
  url: z.string(),
  source_type: z.string().nullish(),
  created_at: z.string(),
  creator: Person.nullish(),
})

export const ChildIssue = IssueRef.extend({ priority: Priority, assignee: Person.nullish() })

export const IssueDetail = Issue.omit({ cycle: true, parent: true, labels: true }).extend({
  description: z.string().nullish(),
  branch_name: z.string(),
  previous_identifiers: z.array(z.string()),
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  canceled_at: z.string().nullish(),
  trashed: z.boolean().nullish(),
  creator: Member.nullish(),
  assignee: Member.nullish(),
  delegate: z.object({ id: z.string(), name: z.string() }).nullish(),
  state: State,
  team: TeamRef,
  project: ProjectRef.nullish(),
  project_milestone: z.object({ id: z.string(), name: z.string() }).nullish(),
  cycle: Cycle.nullish(),
  parent: IssueRef.nullish(),
  labels: z.array(LabelRef.extend({ parent: LabelRef.nullish() })),
  comments: z.array(Comment).optional(),
  has_more_comments: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
  has_more_attachments: z.boolean().optional(),
  children: z.array(ChildIssue).optional(),
  has_more_children: z.boolean().optional(),
})

type IssueFlags = Readonly<Record<'comments' | 'attachments' | 'relations' | 'children', boolean>>

/** One issue with what is asked for; relations from both sides, because Linear stores each on one of its two issues only. */
export const getIssue = operation<IssueFlags & { id: string }>()(
  `query GetIssue($id: String!, $comments: Boolean!, $attachments: Boolean!, $relations: Boolean!, $children: Boolean!) { issue(id: $id) {
    id identifier previousIdentifiers title description url branchName priority estimate dueDate
    createdAt updatedAt startedAt completedAt canceledAt archivedAt trashed
    creator { ...Member } assignee { ...Member } delegate { id name } state { ...State } team { ...TeamRef } project { ...ProjectRef }
    projectMilestone { id name } cycle { ...Cycle } parent { ...IssueRef }
    labels(first: 50) { nodes { id name parent { id name } } pageInfo { hasNextPage } }
    comments(first: 50) @include(if: $comments) { nodes { ...Comment } pageInfo { hasNextPage } }
    attachments(first: 50) @include(if: $attachments) { nodes { id title subtitle url sourceType createdAt creator { ...Person } } pageInfo { hasNextPage } }
    relations(first: 50) @include(if: $relations) { nodes { id type relatedIssue { ...IssueRef } } pageInfo { hasNextPage } }
    inverseRelations(first: 50) @include(if: $relations) { nodes { id type issue { ...IssueRef } } pageInfo { hasNextPage } }
    children(first: 50) @include(if: $children) { nodes { ...IssueRef priority assignee { ...Person } } pageInfo { hasNextPage } }
  } }`,
  z.object({
    issue: IssueDetail.extend({
      relations: z.array(Related.extend({ related_issue: IssueRef })).optional(),
      has_more_relations: z.boolean().optional(),
      inverse_relations: z.array(Related.extend({ issue: IssueRef })).optional(),
      has_more_inverse_relations: z.boolean().optional(),
    }),
  }),
)

/** Comments of an issue, newest first. */
export const listComments = operation<{ id: string } & Paged>()(
  `query ListComments($id: String!, $first: Int!, $after: String) { issue(id: $id) {
    id identifier title url comments(first: $first, after: $after, orderBy: createdAt) { nodes { ...Comment } pageInfo { ...Page } }
  } }`,
  z.object({
    issue: z.object({
      id: z.string(),
      identifier: z.string(),
      title: z.string(),
      url: z.string(),
      comments: z.array(Comment),
      has_more_comments: z.boolean(),
      comments_end_cursor: z.string().nullish(),
    }),
  }),
)

/** An issue by whatever identifier it has or had. */
export const issueByReference = operation<{ id: string }>()(
  'query IssueByReference($id: String!) { issue(id: $id) { id identifier } }',
  z.object({ issue: z.object({ id: z.string(), identifier: z.string() }) }),
)
