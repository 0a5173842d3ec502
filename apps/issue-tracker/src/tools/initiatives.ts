import { InvalidInput } from '@mcp-toolkits/core'
import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { createUnique } from '../linear/client.ts'
import * as documents from '../linear/initiatives.ts'
import { initiativeId, isUuid, nameFilter, nameFilters, plainReading, readingsOf, slugIn } from '../linear/references.ts'
import { ProjectRef } from '../linear/records.ts'
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
import { creationNotice, emptyNotice, foundNotice, noticeOf, repeatNotice } from './notices.ts'
import { autoAccept, day, endCursor, includeFlag, keywords, limit, markdown, noticeField, reference, title } from './parameters.ts'

const Status = z.enum(['planned', 'started', 'paused', 'completed'])
const vendorStatus = { vendor_status: z.string().describe("Linear's own word for the status.") }
const Initiative = documents.InitiativeRow.omit({ description: true }).extend({ ...ShortDescription.shape, ...vendorStatus })

/** A record with our word for its status beside Linear's. */
function withStatus<Record extends { readonly status: string }>(record: Record): Record & { vendor_status: string } {
  return { ...record, status: documents.initiativeStatus(record.status), vendor_status: record.status }
}

export const getInitiative = defineTool({
  name: 'GetInitiative',
  title: 'Get an initiative',
  description: Message.of(
    'One initiative, and on request its projects.',
    sentence`A description over 5,000 characters is cut; ${{ tool: 'IssueTracker.GetInitiativeDescription' }} reads all of it.`,
  ),
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({
    value: reference('What lookup_by says; an id can be a slug or URL too.'),
    lookup_by: z.enum(['id', 'name']).default('id').describe('What value is.'),
    include_projects: includeFlag('The first 50 projects.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ initiative: documents.InitiativeDetail.extend({ ...ShortDescription.shape, ...vendorStatus }) }),
  async run(args, { linear, resolver }) {
    const value = plainReading(args.value)
    const lookedUpBy = lookupColumn(value, args.lookup_by)
    const id = initiativeId(value)
    // The URL of a page identifies the initiative, so `lookup_by` does not matter.
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
        linear.run(documents.findInitiative, {
          filter: match.id === undefined ? filter : { id: { eq: match.id } },
          projects: args.include_projects,
        }),
    })
    requireSameWorkspace(args.value, initiative.url)
    return { initiative: withStatus(withShortDescription(initiative)) }
  },
})

export const listInitiatives = defineTool({
  name: 'ListInitiatives',
  title: 'List initiatives',
  description: 'Initiatives of the workspace, newest first. Archived ones are left out.',
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in the name.'),
    state: Status.optional().describe('The status. paused finds nothing: Linear has no such status.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({
    initiatives: z.array(documents.InitiativeRow.extend(vendorStatus)),
    pagination: Pagination,
    ...noticeField,
  }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }) {
    const { state } = filters
    const { after, pagination } = startPaging(['ListInitiatives', filters], cursor)
    if (state === 'paused') {
      const notice = 'Linear has no paused initiatives; they are proposed, planned, started (Active), completed or canceled.'
      return { initiatives: [], pagination: pagination(false, undefined), notice }
    }
    const conditions = [
      ...nameFilters(filters.keywords),
      ...(state === undefined ? [] : [{ status: { eq: documents.initiativeStatuses[state] } }]),
    ]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.run(documents.listInitiatives, { first, after, filter })
    return {
      initiatives: page.initiatives.map(withStatus),
      pagination: pagination(page.has_more_initiatives, page.initiatives_end_cursor),
      ...emptyNotice('initiative', page.initiatives, filters),
    }
  },
})

export const getInitiativeDescription = defineTool({
  name: 'GetInitiativeDescription',
  title: 'Read an initiative description',
  description: 'The whole description of an initiative, piece by piece: read on with offset = next_offset until that is null.',
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({ initiative_id: reference('Id, slug or URL.'), ...chunkParameters }),
  output: Chunk,
  async run(args, { linear, resolver }) {
    const { initiative_id: reference } = args
    const direct = initiativeId(plainReading(reference))
    const isId = isUuid(direct) || slugIn(direct) !== undefined
    const id = isId ? direct : (await resolver.initiative({ parameter: 'initiative_id', reference, autoAccept: false })).id
    const { initiative } = await withNotFoundHint(initiativeRef(id), linear.run(documents.getInitiativeText, { id }))
    requireSameWorkspace(args.initiative_id, initiative.url)
    return chunkOf(initiative.content ?? initiative.description, args.offset, args.limit)
  },
})

const targetDate = day('Day to be done').optional()
const status = Status.optional().describe('The status. paused is refused: Linear has no such status.')

/** Linear's word for a status. Throws `InvalidInput` for `paused`, which Linear does not have. */
function vendorStatusOf(name: z.output<typeof Status> | undefined) {
  if (name !== 'paused') return name && documents.initiativeStatuses[name]
  throw new InvalidInput('Linear has no paused initiatives. "status" can be planned, started or completed, or be left out.')
}

export const createInitiative = defineTool({
  name: 'CreateInitiative',
  title: 'Create an initiative',
  description: 'Create an initiative. Safe to repeat when the answer was lost.',
  effect: 'create',
  scopes: ['initiative:write'],
  input: z.strictObject({
    name: title('The name.'),
    description: markdown('What it is about').optional(),
    status,
    target_date: targetDate,
  }),
  output: z.object({ initiative: Initiative, ...noticeField }),
  async run(args, { linear }, { operation }) {
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      name: args.name,
      ...(description && newTextFields(description.text)),
      status: vendorStatusOf(args.status),
      targetDate: args.target_date,
    }
    const identity = await operation.begin()
    const { record, wasCreatedEarlier } = await documents.createInitiative(linear, { ...input, id: identity.uuid('initiative') })
    const repeated = repeatNotice(identity, wasCreatedEarlier, record.archived_at)
    return { initiative: withStatus(withShortDescription(record)), ...noticeOf(description?.notice, repeated) }
  },
})

export const updateInitiative = defineTool({
  name: 'UpdateInitiative',
  title: 'Change an initiative',
  description: 'Change the passed fields of an initiative.',
  effect: 'update',
  scopes: ['initiative:write'],
  input: z.strictObject({
    initiative_id: reference('Id, slug, URL or name.'),
    name: title('The new name.').optional(),
    description: markdown('The new description').optional(),
    status,
    target_date: targetDate,
  }),
  output: z.object({ initiative: Initiative, ...noticeField }),
  async run({ initiative_id: reference, ...args }, { linear, resolver }) {
    if (Object.values(args).every((value) => value === undefined))
      throw new InvalidInput('Nothing to change. Pass at least one of name, description, status, target_date.')
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      name: args.name,
      ...(description && changedTextFields(description.text)),
      status: vendorStatusOf(args.status),
      targetDate: args.target_date,
    }
    const { id } = await resolver.initiative({ parameter: 'initiative_id', reference, autoAccept: false })
    const updated = linear.run(documents.updateInitiative, { id, input })
    const { initiative } = (await withNotFoundHint(initiativeRef(reference), updated)).initiative_update
    return { initiative: withStatus(withShortDescription(initiative)), ...noticeOf(description?.notice) }
  },
})

export const addProjectToInitiative = defineTool({
  name: 'AddProjectToInitiative',
  title: 'Add a project to an initiative',
  description: 'Put a project into an initiative. Doing it again changes nothing.',
  effect: 'update',
  scopes: ['read', 'initiative:write'],
  input: z.strictObject({
    initiative: reference('Id, slug, URL or name.'),
    project: reference('Id, slug, URL or name.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ initiative: documents.InitiativeRef, project: ProjectRef, changed: z.boolean(), ...noticeField }),
  async run(args, { linear, resolver }, { operation }) {
    const { initiative, project, linkId, archived } = await resolver.link(args)
    if (linkId !== undefined) return { initiative, project, ...foundNotice(await operation.begin(), 'link', [linkId]) }
    const creation = await createUnique(operation, async (identity) =>
      documents.addProject(linear, { id: identity.uuid('link'), initiative, project }),
    )
    const { result: added } = creation
    const notices = archived.map((kind) => `The ${kind} is archived.`)
    const repeated = added === 'by another call' ? undefined : creationNotice(creation, added === 'by an earlier attempt')
    return { initiative, project, changed: added !== 'by another call', ...noticeOf(...notices, repeated) }
  },
})

export const archiveInitiative = defineTool({
  name: 'ArchiveInitiative',
  title: 'Archive an initiative',
  description: 'Archive an initiative; its projects stay. Only Linear itself can restore it. Archiving again changes nothing.',
  effect: 'delete',
  scopes: ['initiative:write'],
  input: z.strictObject({ initiative: reference('Id, slug, URL or name.'), auto_accept_matches: autoAccept }),
  output: z.object({ initiative: documents.ArchivedInitiative, ...noticeField }),
  async run(args, { linear, resolver }) {
    const { id, found } = await resolver.initiative({
      parameter: 'initiative',
      reference: args.initiative,
      autoAccept: args.auto_accept_matches,
      includesArchived: true,
    })
    if (found?.archived_at) return { initiative: found, notice: 'It was archived already; nothing was changed.' }
    const archived = linear.run(documents.archiveInitiative, { id })
    return { initiative: (await withNotFoundHint(initiativeRef(args.initiative), archived)).initiative_archive.entity }
  },
})
