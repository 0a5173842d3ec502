import * as z from 'zod'
import { priorities } from './presentation.ts'

/** Linear's records as tools return them; each is what the fragment of the same name selects. */
const id = z.string()
const moment = z.string().nullish()

export const Priority = z.enum(priorities)
export const Person = z.object({ id, name: z.string(), display_name: z.string() })
export const Member = Person.extend({ email: z.string(), active: z.boolean() })
export const State = z.object({ id, name: z.string(), type: z.string(), position: z.number().optional() })
export const TeamRef = z.object({ id, key: z.string(), name: z.string() })
export const ListedTeam = TeamRef.extend({ archived_at: moment })
export const ProjectRef = z.object({ id, name: z.string(), slug_id: z.string() })
export const LabelRef = z.object({ id, name: z.string() })

export const Cycle = z.object({
  id,
  number: z.number(),
  name: z.string().nullish(),
  starts_at: z.string(),
  ends_at: z.string(),
  is_active: z.boolean(),
  is_next: z.boolean(),
  is_past: z.boolean(),
  completed_at: moment,
})

export const IssueRef = z.object({ id, identifier: z.string(), title: z.string(), url: z.string(), state: State })

export const Issue = z.object({
  id,
  identifier: z.string().describe('Such as ENG-12; every tool takes it in place of the id.'),
  title: z.string(),
  url: z.string(),
  priority: Priority,
  estimate: z.number().nullish(),
  due_date: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: moment,
  state: State,
  assignee: Person.nullish(),
  team: TeamRef,
  project: ProjectRef.nullish(),
  cycle: z.object({ id, number: z.number(), name: z.string().nullish() }).nullish(),
  parent: z.object({ id, identifier: z.string() }).nullish(),
  labels: z.array(LabelRef),
  has_more_labels: z.boolean(),
})

export const Comment = z.object({
  id,
  body: z.string(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  edited_at: moment,
  parent_id: z.string().nullish().describe('The comment that this one replies to.'),
  resolved_at: moment,
  quoted_text: z.string().nullish().describe('The text of the description that it comments on.'),
  user: Person.nullish(),
  bot_actor: z.object({ name: z.string().nullish() }).nullish(),
  external_user: z.object({ name: z.string() }).nullish(),
})

export const ProjectRow = ProjectRef.extend({
  description: z.string(),
  url: z.string(),
  progress: z.number(),
  health: z.string().nullish(),
  start_date: z.string().nullish(),
  target_date: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: moment,
  status: z.object({ id, name: z.string(), type: z.string() }),
  lead: Person.nullish(),
  teams: z.array(TeamRef),
  has_more_teams: z.boolean(),
})

export const InitiativeRow = z.object({
  id,
  name: z.string(),
  slug_id: z.string(),
  url: z.string(),
  description: z.string().nullish(),
  status: z.string(),
  health: z.string().nullish(),
  target_date: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: moment,
  owner: Person.nullish(),
})
