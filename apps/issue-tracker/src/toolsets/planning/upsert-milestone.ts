import { Conflict, InvalidInput, joinWords, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { type CallContext, confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool, type ToolContext } from '../../context.ts'
import { createUnique } from '../../linear/client.ts'
import * as documents from '../../linear/planning/milestones.ts'
import { milestoneFilter, nameFilter, readingsOf } from '../../linear/references.ts'
import { inWords, showsLine, showsText, textIn } from '../../linear/stored.ts'
import { onlyOne } from '../../resolve/matching.ts'
import { findMilestone } from '../../resolve/planning/milestones.ts'
import { withinProject } from '../../resolve/planning/within-project.ts'
import { withLineBreaks } from '../../tools/long-text.ts'
import { archivedNotice, creationNotice, foundNotice, noticesOf } from '../../tools/notices.ts'
import { autoAccept, day, markdown, noticesField, projectReference, reference, title } from '../../tools/parameters.ts'
import { cutNotice, replaceText } from '../../tools/replaced-text.ts'
import { MilestoneRow, milestoneRow } from './rows.ts'

const input = z.strictObject({
  project: projectReference,
  milestone_id: reference('The milestone to change: id, name or URL.').optional(),
  name: title('Name; with milestone_id, the new name.').optional(),
  description: markdown('New text, in Markdown.').optional(),
  target_date: day().optional(),
  auto_accept_matches: autoAccept,
})
type Arguments = z.output<typeof input>

export const upsertMilestone = defineTool({
  name: 'UpsertMilestone',
  title: 'Create or change a milestone',
  description: Message.of(
    'Create a milestone (phase) in a project, or change one: rename it, set its description or move its target date. If the project already has a milestone with the name, that milestone is changed, so that no name occurs twice.',
    sentence`To see them, use ${{ tool: 'IssueTracker.ListMilestones' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input,
  output: z.object({
    milestone: MilestoneRow,
    project: z.string(),
    outcome: z.enum(['created', 'changed', 'unchanged']),
    ...noticesField,
  }),
  example: { project: 'Trails launch', name: 'First 800 teams', target_date: '2027-01-15' },
  async run(args, context, call) {
    const { milestone_id: reference, name, description, target_date: day } = args
    if (reference === undefined && name === undefined)
      throw new InvalidInput('Pass "name" for a new milestone, or "milestone_id" for the one to change.')
    if (reference !== undefined && (name ?? description ?? day) === undefined)
      throw new InvalidInput('Nothing to change. Pass at least one of name, description, target_date.')
    // A call with an idempotency key may wait for another process, and must not hold up other calls meanwhile.
    if (call.operation.isKeyed) await call.operation.claim()
    // One at a time, because two simultaneous calls could create the same name twice.
    return context.withRelationLock(call.scope, async () => upsert(args, context, call))
  },
})

async function upsert(args: Arguments, { linear }: ToolContext, call: CallContext) {
  const { milestone_id: reference, name = '', auto_accept_matches: autoAccept } = args
  const { notice } = call
  const look = async (milestone: string, project = args.project) => {
    const filters = { milestone: milestoneFilter(...readingsOf(milestone)), name: nameFilter(name) }
    return withinProject(linear, { reference: project, autoAccept, notice }, async (filter) => {
      return (await linear.send(documents.milestoneLookup, { project: filter, ...filters })).projects
    })
  }
  const project = await look(reference ?? name)
  const archived = archivedNotice('project', project.archived_at)
  const namesake = namesakeOf(project.namesakes, name)
  if (reference === undefined && !namesake) return create(args, project, { linear, call, archived })
  const wanted =
    reference === undefined ? namesake : await findMilestone({ parameter: 'milestone_id', reference, autoAccept, notice }, project)
  const id = wanted?.id ?? ''
  if (project.namesakes.some((each) => each.id !== id) && reference !== undefined)
    throw new Conflict(`The project has another milestone called ${quote(name, 80)}. Choose another name.`)
  const known = [...project.milestone, ...project.namesakes].find((each) => each.id === id)
  return change(args, known ?? onlyOne((await look(id, project.id)).milestone), { linear, call, archived })
}

/** The milestone with exactly the name, or else with the name in a different case. Throws `Conflict` if several match ignoring case. */
function namesakeOf(namesakes: readonly documents.StoredMilestone[], name: string): documents.StoredMilestone | undefined {
  const [first, ...others] = namesakes
  const exact = namesakes.find((each) => each.name === name)
  if (exact || others.length === 0) return exact ?? first
  throw new Conflict(
    `The project has several milestones with that name: ${joinWords(namesakes.map((each) => `${quote(each.name, 80)} (${each.id})`))}. Pass one as milestone_id.`,
  )
}

interface Surroundings extends Pick<ToolContext, 'linear'> {
  readonly call: CallContext
  readonly archived: string | undefined
}

async function create(args: Arguments, project: { readonly id: string; readonly name: string }, { linear, call, archived }: Surroundings) {
  const description = args.description === undefined ? undefined : withLineBreaks(args.description)
  const fields = { name: args.name ?? '', description: description?.text, targetDate: args.target_date }
  const creation = await createUnique(call.operation, async (identity) =>
    documents.createMilestone(linear, { ...fields, id: identity.uuid('milestone'), projectId: project.id }),
  )
  const { record, wasCreatedEarlier } = creation.result
  const confirmed = wasCreatedEarlier
    ? []
    : [confirmCreated('Linear', shownIn(fields, record)), ...cutNotice('description', fields.description, record.description)]
  const notices = noticesOf(description?.notice, archived, creationNotice(creation, wasCreatedEarlier), ...confirmed)
  return { milestone: milestoneRow(record), project: project.name, outcome: 'created' as const, ...notices }
}

async function change(args: Arguments, current: documents.StoredMilestone, { linear, call, archived }: Surroundings) {
  const { name, target_date: targetDate } = args
  const before = textIn(current, 'description')
  const text = args.description === undefined ? undefined : withLineBreaks(args.description)
  const description = text && inWords(text.text) !== inWords(before) ? text : undefined
  const fields = {
    name: args.milestone_id === undefined || name === current.name ? undefined : name,
    targetDate: targetDate === current.target_date ? undefined : targetDate,
    description: description?.text,
  }
  const project = current.project.name
  if (Object.values(fields).every((value) => value === undefined)) {
    const found = { part: 'milestone', ids: [current.id], notice: 'The milestone already has these values; nothing was changed.' }
    const { changed, ...notices } = foundNotice(await call.operation.claim(), found)
    return { milestone: milestoneRow(current), project, outcome: changed ? ('created' as const) : ('unchanged' as const), ...notices }
  }
  const { record, notices } = await replaceText({
    linear,
    parameter: 'description',
    text: description,
    before,
    read: () => ({ tool: 'IssueTracker.GetMilestone', arguments: { project: current.project.slug_id, query: current.id } }),
    async write() {
      const record = await documents.updateMilestone(linear, { id: current.id, input: fields })
      return { record, stored: textIn(record, 'description'), shown: shownIn(fields, record, before) }
    },
  })
  return { milestone: milestoneRow(record), project, outcome: 'changed' as const, ...noticesOf(archived, ...notices) }
}

type Fields = Readonly<Record<'name' | 'description' | 'targetDate', string | undefined>>

/** The parameters that were sent, each true if the stored milestone shows its value. */
function shownIn({ name, description, targetDate }: Fields, record: documents.StoredMilestone, before?: string) {
  return {
    name: showsLine(name, record.name),
    description: showsText(description, textIn(record, 'description'), before),
    target_date: targetDate === undefined ? undefined : record.target_date === targetDate,
  }
}
