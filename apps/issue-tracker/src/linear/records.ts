import * as z from 'zod'
import { nodes, priorities } from './document.ts'

/**
 * Records that several resources share, as Linear returns them: each schema also determines the fields that its documents select. Only
 * essential fields are required, so a field that Linear drops or renames is just missing. `rows.ts` contains the printed forms.
 */
export const Text = z.string()
export const OptionalText = Text.optional()
export const Flag = z.boolean().default(false)
const id = Text
export const Timestamp = OptionalText
/** The URL of the record's page; absent if the built-in emulator serves no pages. */
export const PageUrl = OptionalText

export const Priority = z.enum(priorities)
/** Linear's priority: one of our words, or a number that this version does not know. */
export const VendorPriority = OptionalText
export const NamedRef = z.object({ id, name: Text })
/** A person; the email address distinguishes namesakes. */
export const Person = NamedRef.extend({ email: OptionalText })
export const Member = Person.extend({ display_name: OptionalText, active: z.boolean().default(true) })
export const State = z.object({ id, name: Text, type: Text, position: z.number().optional() })
/** State types for finished work. */
export const closedTypes: readonly string[] = ['completed', 'canceled', 'duplicate']
const StateRef = State.omit({ position: true })
export const TeamRef = z.object({ id, key: Text, name: Text })
/** A team offered as a choice, with its parent team. */
export const TeamChoice = TeamRef.extend({ parent: z.object({ name: Text }).optional() })
export const ArchivableTeam = TeamChoice.extend({ archived_at: Timestamp, retired_at: Timestamp })
export const ProjectRef = z.object({ id, name: Text, slug_id: Text })
/** A project offered as a choice, with the facts that show whether it is still in use. */
export const ProjectChoice = ProjectRef.extend({
  archived_at: Timestamp,
  trashed: z.boolean().optional(),
  completed_at: Timestamp,
  canceled_at: Timestamp,
})
/** A label; its group distinguishes namesakes. */
export const LabelRef = NamedRef.extend({ parent: NamedRef.optional() })
export const IssueRef = z.object({ id, identifier: Text, title: Text, state: StateRef })

export const Cycle = z.object({
  id,
  number: z.number(),
  name: OptionalText,
  starts_at: Timestamp,
  ends_at: Timestamp,
  is_active: Flag,
  is_next: Flag,
  is_past: Flag,
})
export const CycleRef = Cycle.pick({ number: true, name: true })

/** The issue named in a list's filter: an empty list would not show that the issue does not exist. */
export const filteringIssue = nodes(
  'issues(first: 1, filter: $issue, includeArchived: true) @include(if: $hasIssue)',
  z.object({ id }),
).optional()

export const Issue = IssueRef.extend({
  url: PageUrl,
  priority: VendorPriority,
  estimate: z.number().optional(),
  due_date: OptionalText,
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Timestamp,
  assignee: Person.optional(),
  project: ProjectRef.optional(),
  cycle: CycleRef.optional(),
  parent: z.object({ identifier: Text }).optional(),
  labels: nodes('labels(first: 10)', LabelRef).default([]),
  has_more_labels: Flag,
})

/** A non-human author. */
const Actor = z.object({ name: OptionalText }).optional()

export const Comment = z.object({
  id,
  body: Text,
  created_at: Timestamp,
  edited_at: Timestamp,
  parent_id: OptionalText,
  resolved_at: Timestamp,
  quoted_text: OptionalText,
  user: Person.optional(),
  bot_actor: Actor,
  external_user: Actor,
})
