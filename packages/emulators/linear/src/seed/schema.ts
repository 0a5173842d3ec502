import * as z from 'zod'

const time = z
  .union([z.number(), z.string()])
  .describe('Days ago, with decimals where needed (negative numbers are in the future), or a time in ISO 8601. Relative dates stay fresh.')
const name = z.string().min(1)
const person = name.describe('The name of a user.')
const markdown = z.string().describe('Markdown.')
const key = name.optional().describe('Sets the id, which by default is derived from the position or the name.')
const health = z.enum(['onTrack', 'atRisk', 'offTrack'])
const priority = z.enum(['none', 'urgent', 'high', 'medium', 'low'])

const user = z.strictObject({
  name,
  displayName: name.optional().describe('A unique short name; derived from the name by default.'),
  email: z.string().optional().describe('Derived from the short name by default.'),
  title: z.string().optional(),
  active: z.boolean().optional(),
  admin: z.boolean().optional(),
  owner: z.boolean().optional(),
  guest: z.boolean().optional(),
  app: z.boolean().optional(),
})

const state = z.strictObject({
  name,
  type: z.enum(['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']),
  color: z.string().optional(),
})

const team = z.strictObject({
  key: z.string().regex(/^[A-Z][A-Z0-9]{0,6}$/),
  name,
  description: z.string().optional(),
  private: z.boolean().optional().describe('Whether only members can see the team and its contents.'),
  members: z.array(person).optional(),
  states: z
    .array(state)
    .min(1)
    .optional()
    .describe('By default, Linear’s own states. The first state of type backlog is the default for issues.'),
  triage: z.boolean().optional().describe('Whether issues from people outside the team start in triage.'),
  cycles: z.boolean().optional(),
  estimates: z.enum(['notUsed', 'exponential', 'fibonacci', 'linear', 'tShirt']).optional(),
  createdAt: time.optional(),
  archivedAt: time.optional(),
})

const label = z.strictObject({
  name,
  key,
  description: z.string().optional(),
  color: z.string().optional(),
  team: name.optional().describe('The key of the team that owns the label; by default, every team can use it.'),
  group: name.optional().describe('The name of the group that contains the label.'),
  isGroup: z.boolean().optional(),
})

const cycle = z.strictObject({
  team: name.describe('The key of the team.'),
  number: z.int().min(1),
  name: name.optional(),
  description: z.string().optional(),
  startsAt: time,
  endsAt: time,
  createdAt: time.optional(),
})

const milestone = z.strictObject({ name, description: z.string().optional(), targetDate: time.optional() })

const update = z.strictObject({ by: person, at: time, health: health.optional(), body: markdown })

const reply = z.strictObject({ by: person, at: time, key, editedAt: time.optional(), body: markdown })
const comment = reply.extend({
  resolvedBy: person.optional(),
  quotes: z.string().optional().describe('The passage of text that the comment is about.'),
  replies: z.array(reply).optional(),
})

const project = z.strictObject({
  name,
  description: z.string().max(255).optional(),
  content: markdown.optional(),
  status: name.optional().describe('Backlog, Planned, In Progress, Paused, Completed or Canceled.'),
  teams: z.array(name).min(1).describe('Keys of teams.'),
  lead: person.optional(),
  members: z.array(person).optional(),
  creator: person.optional(),
  priority: priority.optional(),
  startDate: time.optional(),
  targetDate: time.optional(),
  createdAt: time.optional(),
  updatedAt: time.optional(),
  startedAt: time.optional(),
  completedAt: time.optional(),
  canceledAt: time.optional(),
  archivedAt: time.optional(),
  milestones: z.array(milestone).optional(),
  updates: z.array(update).optional(),
  comments: z.array(comment).optional(),
})

const initiative = z.strictObject({
  name,
  description: z.string().max(255).optional(),
  content: markdown.optional(),
  status: z.enum(['Proposed', 'Planned', 'Active', 'Completed', 'Canceled']).optional(),
  owner: person.optional(),
  parent: name.optional().describe('The name of the parent initiative, which must come first in the list.'),
  projects: z.array(name).optional().describe('Names of projects.'),
  targetDate: time.optional(),
  createdAt: time.optional(),
  updatedAt: time.optional(),
  startedAt: time.optional(),
  completedAt: time.optional(),
  archivedAt: time.optional(),
})

const attachment = z.strictObject({
  title: name,
  subtitle: z.string().optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  file: z.strictObject({ name, type: name, text: z.string() }).optional().describe('A file stored by Linear, instead of a URL.'),
  source: z.string().optional().describe('The service that the link leads to, such as github.'),
  by: person.optional(),
  at: time.optional(),
})

const identifier = z.string().regex(/^[A-Z][A-Z0-9]{0,6}-[1-9]\d{0,8}$/)

const issue = z.strictObject({
  id: identifier.describe('The team’s key and a number, such as ENG-1.'),
  formerIds: z.array(identifier).optional().describe('Identifiers that the issue had in other teams.'),
  title: name,
  description: markdown.optional(),
  state: name.optional().describe('The name of one of the team’s states; if absent, its default.'),
  assignee: person.optional(),
  creator: person.optional().describe('The viewer by default.'),
  subscribers: z.array(person).optional().describe('Besides the creator, the assignee and the authors of comments.'),
  labels: z.array(name).optional(),
  project: name.optional(),
  milestone: name.optional().describe('The name of one of the project’s milestones.'),
  cycle: z.int().min(1).optional().describe('The number of one of the team’s cycles.'),
  priority: priority.optional(),
  estimate: z.int().min(0).optional(),
  due: time.optional(),
  parent: identifier.optional(),
  blocks: z.array(identifier).optional(),
  relatedTo: z.array(identifier).optional(),
  duplicateOf: identifier.optional(),
  createdAt: time,
  updatedAt: time.optional().describe('By default, the time of the last comment, or else of creation.'),
  startedAt: time.optional(),
  completedAt: time.optional(),
  canceledAt: time.optional(),
  archivedAt: time.optional(),
  attachments: z.array(attachment).optional(),
  comments: z.array(comment).optional(),
})

const notification = z.strictObject({
  type: name.describe('Such as issueAssignedToYou, issueNewComment, issueMention or projectUpdateCreated.'),
  category: name.describe('Such as assignments, commentsAndReplies, mentions, statusChanges or postsAndUpdates.'),
  at: time,
  actor: person.optional(),
  issue: identifier.optional(),
  project: name.optional(),
  initiative: name.optional(),
  document: name.optional().describe('The document’s title.'),
  readAt: time.optional(),
  snoozedUntil: time.optional(),
})

const document = z.strictObject({
  title: name,
  content: markdown.optional(),
  project: name.optional().describe('The document belongs to a project, initiative, issue or team: give exactly one.'),
  initiative: name.optional(),
  issue: identifier.optional(),
  team: name.optional().describe('The key of the team.'),
  creator: person.optional(),
  createdAt: time.optional(),
  updatedAt: time.optional(),
})

const records = z
  .record(name, z.array(z.record(name, z.unknown())))
  .describe(
    'Entities without a list of their own, by type, such as `Release`, with Linear’s field names. `{ user: Ada }` or `{ ReleasePipeline: iOS }` stands for an id. References use, and ids derive from, the `key` or else the `name` or `title`.',
  )

/** A whole workspace. References are names, team keys and issue identifiers. */
export const linearSeedSchema = z
  .strictObject({
    $schema: z.string().optional().describe('The URL or path of this schema, for editors.'),
    organization: name,
    viewer: person.describe('The owner of the API key.'),
    users: z.array(user).min(1),
    teams: z.array(team).min(1),
    labels: z.array(label).optional(),
    cycles: z.array(cycle).optional(),
    projects: z.array(project).optional(),
    initiatives: z.array(initiative).optional(),
    issues: z.array(issue).optional(),
    documents: z.array(document).optional(),
    notifications: z.array(notification).optional().describe('The viewer’s notifications.'),
    records: records.optional(),
  })
  .describe('What a new workspace in the Linear emulator contains.')

/** A workspace, as parsed from a seed. */
export type LinearSeed = z.infer<typeof linearSeedSchema>
export type SeedUser = z.infer<typeof user>
export type SeedTeam = z.infer<typeof team>
export type SeedLabel = z.infer<typeof label>
export type SeedCycle = z.infer<typeof cycle>
export type SeedProject = z.infer<typeof project>
export type SeedInitiative = z.infer<typeof initiative>
export type SeedIssue = z.infer<typeof issue>
export type SeedComment = z.infer<typeof comment>
export type SeedNotification = z.infer<typeof notification>
