import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmCreated, confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { createUnique } from '../linear/client.ts'
import * as documents from '../linear/initiatives.ts'
import { initiativeId, isUuid, nameFilter, nameFilters, plainReading, readingsOf, slugIn } from '../linear/references.ts'
import { documentText, isArchived, shownInInitiative } from '../linear/stored.ts'
import { requireSameWorkspace, workspaceIn } from '../linear/workspace.ts'
import { initiativeRef, withNotFoundHint } from '../resolve/not-found.ts'
import { lookupColumn } from '../resolve/resolver.ts'
import {
  changedTextFields,
  Chunk,
  chunkOf,
  chunkParameters,
  newTextFields,
  ShortDescription,
  withLineBreaks,
  withShortDescription,
} from './long-text.ts'
import { creationNotice, emptyNotice, foundNotice, keywordsNotice, noticesOf, repeatNotice } from './notices.ts'
import {
  autoAccept,
  day,
  endCursor,
  includeFlag,
  keywords,
  limit,
  markdown,
  noticesField,
  reference,
  stateParameter,
  title,
} from './parameters.ts'
import { cutNotice, replaceText } from './replaced-text.ts'
import { compact, initiativeRow, InitiativeRow, peopleIn, ProjectLine, projectLines, text, optionalText } from './rows.ts'

/** The last two values are Linear's own, so that a status from ListInitiatives can be passed back. */
const Status = z.enum(['planned', 'started', 'paused', 'completed', 'proposed', 'canceled'])
const Person = z.object({ id: text, name: text, email: optionalText })
const WrittenInitiative = InitiativeRow.extend({ url: optionalText })
const ArchivedInitiative = InitiativeRow.pick({ id: true, name: true, archived_at: true })

/** One initiative in full. */
const InitiativeDetail = InitiativeRow.extend({
  slug_id: text,
  url: optionalText,
  ...ShortDescription.shape,
  owner: Person.optional(),
  creator: Person.optional(),
  parent_initiative: z.object({ id: text, name: text }).optional(),
  created_at: optionalText,
  started_at: optionalText,
  completed_at: optionalText,
  projects: z.array(ProjectLine).optional(),
  has_more_projects: z.boolean().optional(),
})

/** An initiative as a create or an update returns it. */
function writtenInitiative(initiative: z.output<typeof documents.InitiativeRow>): z.output<typeof WrittenInitiative> {
  return { ...initiativeRow(initiative), url: initiative.url }
}

export const getInitiative = defineTool({
  name: 'GetInitiative',
  title: 'Get an initiative',
  description: Message.of(
    'Get one initiative: view, show or read details, status and which projects are in it.',
    sentence`To find it, use ${{ tool: 'IssueTracker.ListInitiatives' }}.`,
    sentence`For a long description, use ${{ tool: 'IssueTracker.GetInitiativeDescription' }}.`,
  ),
  effect: 'read',
  scopes: ['initiative:read'],
  narrowing: 'To get less, pass false for include_projects.',
  input: z.strictObject({
    value: reference('Id, slug or name, as lookup_by says, or a URL.'),
    lookup_by: z.enum(['id', 'name']).default('id').describe('Kind of value.'),
    include_projects: includeFlag('The first 50.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ initiative: InitiativeDetail }),
  example: { value: 'Launch Trails', lookup_by: 'name' },
  async run(args, { linear, resolver }) {
    const value = plainReading(args.value)
    const lookedUpBy = lookupColumn(value, args.lookup_by)
    const id = initiativeId(value)
    // A page's URL identifies the initiative, so `lookup_by` does not matter.
    const isId = workspaceIn(value) !== undefined || lookedUpBy === 'id' || (lookedUpBy === 'any' && slugIn(id) !== undefined)
    const column = isId ? 'id' : lookedUpBy
    const byId = isUuid(id) ? { id: { eq: id } } : { slugId: { eq: id } }
    const filter = isId ? byId : nameFilter(...readingsOf(args.value))
    const initiative = await resolver.lookUp({
      kind: 'initiative',
      reference: isId ? id : args.value,
      column,
      autoAccept: args.auto_accept_matches,
      find: (match) =>
        linear.send(documents.findInitiative, {
          filter: match.id === undefined ? filter : { id: { eq: match.id } },
          projects: args.include_projects,
        }),
    })
    await requireSameWorkspace(linear, args.value, initiative.url)
    const status = documents.initiativeStatus(initiative.status)
    const projects = initiative.projects && projectLines(initiative.projects)
    return { initiative: compact({ ...withShortDescription(initiative), status, projects }) }
  },
})

const statusFilter = stateParameter(Status.options, { active: ['started'], closed: ['completed', 'canceled'] }, 'The status.')

export const listInitiatives = defineTool({
  name: 'ListInitiatives',
  title: 'List initiatives',
  description: Message.of(
    'List all initiatives (strategic goals), or find an initiative by name or status (planned, active), newest first. Archived ones are excluded.',
    sentence`For an initiative's projects, use ${{ tool: 'IssueTracker.GetInitiative' }}.`,
  ),
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({
    keywords: keywords('Words that must all be in the name.'),
    state: statusFilter.parameter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({
    initiatives: z.array(InitiativeRow),
    pagination: Pagination,
    ...noticesField,
  }),
  example: {},
  async run({ limit, end_cursor, ...filters }, { linear }) {
    const { state } = filters
    const { after, first, result, pagination } = startPaging(['ListInitiatives', filters], { limit, end_cursor })
    const names = state && statusFilter.statesIn(state)
    const statuses = names?.flatMap((name) => (name === 'paused' ? [] : [documents.initiativeStatuses[name]]))
    if (statuses?.length === 0) {
      const notice = 'Linear has no paused initiatives; an initiative is proposed, planned, started (Active), completed or canceled.'
      return result({ initiatives: [], pagination: pagination(false, undefined), ...noticesOf(notice) })
    }
    const conditions = [...nameFilters(filters.keywords), ...(statuses === undefined ? [] : [{ status: { in: [...statuses] } }])]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.send(documents.listInitiatives, { first, after, filter })
    const owner = peopleIn(page.initiatives.map((initiative) => initiative.owner))
    return result({
      initiatives: page.initiatives.map((initiative) => initiativeRow(initiative, owner)),
      pagination: pagination(page.has_more_initiatives, page.initiatives_end_cursor),
      ...noticesOf(
        emptyNotice('initiative', page.initiatives, { ...filters, after }),
        keywordsNotice(filters.keywords, page.initiatives, 'state'),
      ),
    })
  },
})

export const getInitiativeDescription = defineTool({
  name: 'GetInitiativeDescription',
  title: 'Read an initiative description',
  description: Message.of(
    sentence`Read the full text of a long initiative description in parts, when ${{ tool: 'IssueTracker.GetInitiative' }} has truncated it.`,
    'Continue until next_offset is null.',
  ),
  effect: 'read',
  scopes: ['initiative:read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ initiative_id: reference('Id, slug, URL or name.'), ...chunkParameters }),
  output: Chunk,
  example: { initiative_id: 'a173150e466f' },
  async run(args, { linear, resolver }) {
    const { initiative_id: reference } = args
    const direct = initiativeId(plainReading(reference))
    const isId = isUuid(direct) || slugIn(direct) !== undefined
    const id = isId ? direct : (await resolver.initiative({ parameter: 'initiative_id', reference, autoAccept: false })).id
    const { initiative } = await withNotFoundHint(initiativeRef(id), linear.send(documents.getInitiativeText, { id }))
    await requireSameWorkspace(linear, args.initiative_id, initiative.url)
    return chunkOf(initiative.content ?? initiative.description, args.offset, args.limit)
  },
})

const targetDate = day().optional()
const status = Status.optional().describe('Linear has no paused initiatives.')

/** Linear's word for a status. Throws `InvalidInput` for `paused`, which Linear does not have. */
function vendorStatusOf(name: z.output<typeof Status> | undefined) {
  if (name !== 'paused') return name && documents.initiativeStatuses[name]
  throw new InvalidInput(
    'Linear has no paused initiatives. Pass planned, started, completed, proposed or canceled as "status", or leave it out.',
  )
}

export const createInitiative = defineTool({
  name: 'CreateInitiative',
  title: 'Create an initiative',
  description: Message.of(
    'Create a new initiative (a strategic goal that groups projects): make, add or set up one with a target date. Names need not be unique.',
    sentence`To put projects in it, use ${{ tool: 'IssueTracker.AddProjectToInitiative' }}.`,
  ),
  effect: 'create',
  scopes: ['initiative:write'],
  input: z.strictObject({
    name: title('The name.'),
    description: markdown().optional(),
    status,
    target_date: targetDate,
  }),
  output: z.object({ initiative: WrittenInitiative, ...noticesField }),
  example: { name: 'Guides abroad', target_date: '2027-06-30' },
  async run(args, { linear }, { operation }) {
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      name: args.name,
      ...(description && newTextFields(description.text)),
      status: vendorStatusOf(args.status),
      targetDate: args.target_date,
    }
    const identity = await operation.claim()
    const { record, wasCreatedEarlier } = await documents.createInitiative(linear, { ...input, id: identity.uuid('initiative') })
    const repeated = repeatNotice(identity, wasCreatedEarlier, record.archived_at)
    const confirmed = wasCreatedEarlier ? undefined : confirmCreated('Linear', shownInInitiative(input, record))
    const cut = cutNotice('description', wasCreatedEarlier ? undefined : description?.text, documentText(record))
    return { initiative: writtenInitiative(record), ...noticesOf(description?.notice, repeated, confirmed, ...cut) }
  },
})

export const updateInitiative = defineTool({
  name: 'UpdateInitiative',
  title: 'Change an initiative',
  description: Message.of(
    'Update, edit or modify an initiative: rename it, change its description, status (mark as active or completed) or target date. Omitted fields stay the same.',
    sentence`To hide it, use ${{ tool: 'IssueTracker.ArchiveInitiative' }}.`,
  ),
  effect: 'update',
  scopes: ['initiative:write'],
  input: z.strictObject({
    initiative_id: reference('Id, slug, URL or name.'),
    name: title('New name.').optional(),
    description: markdown('New text, in Markdown.').optional(),
    status,
    target_date: targetDate,
  }),
  output: z.object({ initiative: WrittenInitiative, ...noticesField }),
  example: { initiative_id: 'Launch Trails', status: 'completed' },
  async run({ initiative_id: reference, ...args }, { linear, resolver }, { notice }) {
    if (Object.values(args).every((value) => value === undefined))
      throw new InvalidInput('Nothing to change. Pass at least one of name, description, status, target_date.')
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      name: args.name,
      ...(description && changedTextFields(description.text)),
      status: vendorStatusOf(args.status),
      targetDate: args.target_date,
    }
    const text = description !== undefined
    const { id, found } = await resolver.initiative({ parameter: 'initiative_id', reference, autoAccept: false, text })
    const before = found && documentText(found)
    const { initiative, notices } = await replaceText({
      linear,
      parameter: 'description',
      text: description,
      before,
      read: (offset) => ({ tool: 'IssueTracker.GetInitiativeDescription', arguments: { initiative_id: id, offset } }),
      async write() {
        const initiative = await withNotFoundHint(initiativeRef(reference), documents.updateInitiative(linear, { id, input }))
        return { initiative, stored: documentText(initiative), shown: shownInInitiative(input, initiative, before) }
      },
    })
    if (initiative.archived_at) notice(`Initiative ${quote(initiative.name, 80)} is archived.`)
    return { initiative: writtenInitiative(initiative), ...noticesOf(...notices) }
  },
})

export const addProjectToInitiative = defineTool({
  name: 'AddProjectToInitiative',
  title: 'Add a project to an initiative',
  description: Message.of(
    'Add a project to an initiative: put, link, connect or assign it. If it is already there, nothing changes. No tool removes it.',
    sentence`To make an initiative first, use ${{ tool: 'IssueTracker.CreateInitiative' }}.`,
  ),
  effect: 'update',
  scopes: ['read', 'initiative:write'],
  input: z.strictObject({
    initiative: reference('Id, slug, URL or name.'),
    project: reference('Id, slug, URL or name.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ initiative: text, project: text, changed: z.boolean(), ...noticesField }),
  example: { initiative: 'Earn trust in the field', project: 'Trails launch' },
  async run(args, { linear, resolver }, { operation }) {
    const { initiative, project, linkId, archived } = await resolver.link(args)
    const names = { initiative: initiative.name, project: project.name }
    if (linkId !== undefined) {
      const notice = `Project ${quote(project.name, 80)} is already in ${quote(initiative.name, 80)}.`
      return { ...names, ...foundNotice(await operation.claim(), { part: 'link', ids: [linkId], notice }) }
    }
    const creation = await createUnique(operation, async (identity) =>
      documents.addProject(linear, { id: identity.uuid('link'), initiative, project }),
    )
    const { result: added } = creation
    const notices = archived.map((kind) => `The ${kind} is archived.`)
    const repeated = added === 'by another call' ? undefined : creationNotice(creation, added === 'by an earlier attempt')
    return { ...names, changed: added !== 'by another call', ...noticesOf(...notices, repeated) }
  },
})

export const archiveInitiative = defineTool({
  name: 'ArchiveInitiative',
  title: 'Archive an initiative',
  description: Message.of(
    'Archive an initiative: hide, remove or put away one that is over. Its projects are not archived. Only Linear can restore it.',
    sentence`To complete it, use ${{ tool: 'IssueTracker.UpdateInitiative' }}.`,
  ),
  effect: 'delete',
  scopes: ['initiative:write'],
  input: z.strictObject({ initiative: reference('Id, slug, URL or name.'), auto_accept_matches: autoAccept }),
  output: z.object({ initiative: ArchivedInitiative, ...noticesField }),
  example: { initiative: 'Launch Trails' },
  async run(args, { linear, resolver }) {
    const { id, found } = await resolver.initiative({
      parameter: 'initiative',
      reference: args.initiative,
      autoAccept: args.auto_accept_matches,
      includesArchived: true,
    })
    if (found?.archived_at)
      return { initiative: archived(found), ...noticesOf('The initiative was already archived; nothing was changed.') }
    const archiving = linear.send(documents.archiveInitiative, { id })
    const { entity } = (await withNotFoundHint(initiativeRef(args.initiative), archiving)).initiative_archive
    const unconfirmed = confirmDone('Linear', isArchived(entity), 'the initiative is not archived')
    return { initiative: archived(entity), ...noticesOf(unconfirmed) }
  },
})

function archived({ id, name, archived_at: archivedAt }: z.output<typeof ArchivedInitiative>): z.output<typeof ArchivedInitiative> {
  return { id, name, archived_at: archivedAt }
}
