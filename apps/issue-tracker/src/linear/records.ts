import * as z from 'zod'
import { nodes, notSelected, priorities } from './document.ts'

/** Records that several resources share. Each schema also determines what its documents select. */
const id = z.string()
export const Timestamp = z.string().nullish()

export const Priority = z.enum(priorities)
export const Person = z.object({ id, name: z.string(), display_name: z.string() })
export const Member = Person.extend({ email: z.string(), active: z.boolean() })
export const State = z.object({ id, name: z.string(), type: z.string(), position: z.number().optional() })
/** The state of an issue. Only lists of states need positions. */
const IssueState = State.extend({ position: notSelected(z.number().optional()) })
export const TeamRef = z.object({ id, key: z.string(), name: z.string() })
export const ArchivableTeam = TeamRef.extend({ archived_at: Timestamp })
export const ProjectRef = z.object({ id, name: z.string(), slug_id: z.string() })
export const LabelRef = z.object({ id, name: z.string() })
export const IssueRef = z.object({ id, identifier: z.string(), title: z.string(), url: z.string(), state: IssueState })
export const NamedRef = z.object({ id, name: z.string() })

export const Cycle = z.object({
  id,
  number: z.number(),
  name: z.string().nullish(),
  starts_at: z.string(),
  ends_at: z.string(),
  is_active: z.boolean(),
  is_next: z.boolean(),
  is_past: z.boolean(),
  completed_at: Timestamp,
})

export const Issue = z.object({
  id,
  identifier: z.string().describe('Such as ENG-12; every tool takes it instead of the id.'),
  title: z.string(),
  url: z.string(),
  priority: Priority,
  estimate: z.number().nullish(),
  due_date: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: Timestamp,
  state: IssueState,
  assignee: Person.nullish(),
  team: TeamRef,
  project: ProjectRef.nullish(),
  cycle: z.object({ id, number: z.number(), name: z.string().nullish() }).nullish(),
  parent: z.object({ id, identifier: z.string() }).nullish(),
  labels: nodes('labels(first: 10)', LabelRef),
  has_more_labels: z.boolean(),
})

export const Comment = z.object({
  id,
  body: z.string(),
  url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  edited_at: Timestamp,
  parent_id: z.string().nullish().describe('The comment that this one replies to.'),
  resolved_at: Timestamp,
  quoted_text: z.string().nullish().describe('The text of the description that it comments on.'),
  user: Person.nullish(),
  bot_actor: z.object({ name: z.string().nullish() }).nullish(),
  external_user: z.object({ name: z.string() }).nullish(),
})
