import * as z from 'zod'
import { update } from '../client.ts'
import { field, nodes, query } from '../document.ts'
import { TeamSettings } from '../lookups.ts'
import { CycleRef, IssueRef, LabelRef, NamedRef, ProjectRef, State, TeamChoice, TeamRef, Text, Timestamp } from '../records.ts'
import { milestoneMatches } from '../planning/milestones.ts'

const Id = z.object({ id: Text })

/** An issue with everything that depends on its team. */
const OwnedIssue = IssueRef.extend({
  archived_at: Timestamp,
  team: TeamRef,
  cycle: CycleRef.extend({ id: Text }).optional(),
  project: NamedRef.optional(),
  project_milestone: NamedRef.optional(),
  labels: nodes('labels(first: 50)', LabelRef.extend({ team: Id.optional() })).default([]),
})
export type OwnedIssue = z.output<typeof OwnedIssue>

/** An issue, the team to move it to, and all teams for suggestions. */
export const moveLookup = query(
  'MoveReferences',
  { id: 'String!', team: 'TeamFilter!' },
  {
    issue: field(
      'issue(id: $id)',
      OwnedIssue.extend({ project: NamedRef.extend({ teams: nodes('teams(first: 50)', Id).default([]) }).optional() }),
    ),
    team: nodes(
      'teams(first: 3, includeArchived: true, filter: $team)',
      TeamSettings.extend({ states: nodes('states(first: 50)', State), default_issue_state: NamedRef.pick({ name: true }).optional() }),
    ),
    teams: nodes('teams(first: 250)', TeamChoice),
  },
)
export type MoveLookup = z.output<typeof moveLookup.data>

export const moveToTeam = update('MoveToTeam', 'Issue', OwnedIssue)

const IssueWithMilestone = IssueRef.extend({ archived_at: Timestamp, project_milestone: NamedRef.optional() })

/** An issue and its project's milestones. */
export const milestoneOfIssue = query(
  'MilestoneOfIssue',
  { id: 'String!', milestone: 'ProjectMilestoneFilter!' },
  {
    issue: field('issue(id: $id)', IssueWithMilestone.extend({ project: ProjectRef.extend(milestoneMatches(NamedRef)).optional() })),
    elsewhere: nodes('projectMilestones(first: 5, filter: $milestone)', NamedRef.extend({ project: z.object({ name: Text }) })).default([]),
  },
)

export const setMilestone = update('SetMilestone', 'Issue', IssueWithMilestone)
