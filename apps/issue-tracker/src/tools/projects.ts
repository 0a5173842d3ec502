import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmChange, confirmCreated, confirmDone } from '@mcp-toolkits/core/tool'
import { defineTool } from '../context.ts'
import { nameFilter, nameFilters, plainReading, projectId, readingsOf, slugIn, teamFilter } from '../linear/references.ts'
import { documentText, isArchived, shownInProject } from '../linear/stored.ts'
import { requireSameWorkspace, workspaceIn } from '../linear/workspace.ts'
import { projectRef, withNotFoundHint } from '../resolve/not-found.ts'
import { requireStatus, statusTypes } from '../resolve/projects/statuses.ts'
import { directProjectId } from '../resolve/projects/projects.ts'
import { archivedFilterNotice, lookupColumn, notASlug, type Resolver } from '../resolve/resolver.ts'
import { changedTextFields, Chunk, chunkOf, chunkParameters, newTextFields, withLineBreaks } from './long-text.ts'
import { checkDays, daysNotice } from '../resolve/rules.ts'
import { archivedNotice, emptyNotice, keywordsNotice, noticesOf, ownStatusNotice, repeatNotice } from './notices.ts'
import {
  autoAccept,
  createdAfter,
  day,
  endCursor,
  includeFlag,
  keywords,
  limit,
  markdown,
  noticesField,
  projectReference,
  reference,
  references,
  stateParameter,
  title,
  wordOrName,
} from './parameters.ts'
import { cutNotice, replaceText } from './replaced-text.ts'
import { ProjectDetail, projectDetail, ProjectLine, projectLines, projectRow, ProjectRow, text } from './rows.ts'
import { readStateWord } from '../vocabulary/values.ts'
import * as z from 'zod'
import * as documents from '../linear/projects.ts'

const WrittenProject = ProjectRow.extend({ url: text.optional() })
const ArchivedProject = ProjectRow.pick({ name: true, slug_id: true, archived_at: true })
const writtenProject = (project: Parameters<typeof projectRow>[0] & { readonly url?: string | undefined }) => ({
  ...projectRow(project),
  url: project.url,
})

export const getProject = defineTool({
  name: 'GetProject',
  title: 'Get a project',
  description: Message.of(
    'Get one project: show or view details, status, progress, who is the lead, teams, milestones, members, dates, updates, recent issues.',
    sentence`To find it, use ${{ tool: 'IssueTracker.ListProjects' }}.`,
    sentence`For a long description, use ${{ tool: 'IssueTracker.GetProjectDescription' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass false for include_milestones, include_members or include_issues.',
  input: z.strictObject({
    value: reference('Id, slug or name, as lookup_by says, or a URL.'),
    lookup_by: z.enum(['id', 'slug_id', 'name']).default('id').describe('Kind of value.'),
    include_milestones: includeFlag('The milestones.'),
    include_members: includeFlag('The first 50.'),
    include_issues: includeFlag('The ten most recently changed.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: ProjectDetail }),
  example: { value: 'Trails launch', lookup_by: 'name' },
  async run(args, { linear, resolver }) {
    const parts = { milestones: args.include_milestones, members: args.include_members, issues: args.include_issues }
    const value = plainReading(args.value)
    const isPage = workspaceIn(value) !== undefined
    const column = lookupColumn(value, args.lookup_by)
    const getById = async (id: string) =>
      (await withNotFoundHint(projectRef(id), linear.send(documents.getProject, { id, ...parts }))).project
    // A page's URL identifies the project, so `lookup_by` does not matter.
    const isSlug = column !== 'name' && slugIn(value) !== undefined
    if (column === 'id' || isSlug || isPage) {
      const id = projectId(value)
      const project = await getById(id)
      await requireSameWorkspace(linear, args.value, project.url)
      return { project: projectDetail(project) }
    }
    if (column === 'slug_id') throw notASlug(args.value)
    const project = await resolver.lookUp({
      kind: 'project',
      reference: args.value,
      column,
      autoAccept: args.auto_accept_matches,
      find: async ({ id }) =>
        id === undefined
          ? linear.send(documents.findProject, { filter: nameFilter(...readingsOf(args.value)), ...parts })
          : { exact: [await getById(id)] },
    })
    return { project: projectDetail(project) }
  },
})

const projectFilter = stateParameter(statusTypes, { active: ['started'], closed: ['completed', 'canceled'] }, 'Type of the status.')

export const listProjects = defineTool({
  name: 'ListProjects',
  title: 'List projects',
  description: Message.of(
    'List all projects, or find projects by name, state (active, in progress) or team, newest first. Archived ones are excluded.',
    sentence`For details, use ${{ tool: 'IssueTracker.GetProject' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that must all be in the name.'),
    state: wordOrName([...statusTypes, 'open', 'active', 'closed'], 'Type of the status.').optional(),
    team: reference('Name, key or id.').optional(),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ projects: z.array(ProjectLine), pagination: Pagination, ...noticesField }),
  example: { state: 'started' },
  async run({ limit, end_cursor, ...filters }, { linear, resolver, startOf }) {
    const { created_after: day } = filters
    const state = filters.state === undefined ? undefined : (readStateWord(filters.state)?.equal ?? filters.state)
    const types = state === undefined ? undefined : projectFilter.statesNamed(state)
    const { after, first, since, result, pagination } = startPaging(['ListProjects', filters], { limit, end_cursor }, startOf(day))
    const page = await resolver.list({ team: filters.team }, async ({ team: reference }) => {
      const team = reference === undefined ? undefined : teamFilter(reference)
      const conditions = [
        ...nameFilters(filters.keywords),
        ...(state === undefined
          ? []
          : [{ status: types ? { type: { in: [...types] } } : { name: { eqIgnoreCase: plainReading(state) } } }]),
        ...(team === undefined ? [] : [{ accessibleTeams: { some: team } }]),
        ...(since === undefined ? [] : [{ createdAt: { gte: since } }]),
      ]
      const filter = conditions.length === 0 ? undefined : { and: conditions }
      return linear.send(documents.listProjects, { first, after, filter, team })
    })
    if (state !== undefined && !types && page.projects.length === 0) await requireStatus(linear, state)
    return result({
      projects: projectLines(page.projects),
      pagination: pagination(page.has_more_projects, page.projects_end_cursor),
      ...noticesOf(
        emptyNotice('project', page.projects, { ...filters, after }),
        archivedFilterNotice(page.projects, page.team),
        keywordsNotice(filters.keywords, page.projects, 'state, team or created_after'),
      ),
    })
  },
})

/** A project's id or slug, or the id of the project with that name. */
async function idOfProject(reference: string, resolver: Resolver): Promise<string> {
  return directProjectId(reference) ?? (await resolver.project({ parameter: 'project_id', reference, autoAccept: false })).id
}

export const getProjectDescription = defineTool({
  name: 'GetProjectDescription',
  title: 'Read a project description',
  description: Message.of(
    sentence`Read the full text of a long project description in parts, when ${{ tool: 'IssueTracker.GetProject' }} has truncated it.`,
    'Continue until next_offset is null.',
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ project_id: projectReference, ...chunkParameters }),
  output: Chunk,
  example: { project_id: '676674191280' },
  async run(args, { linear, resolver }) {
    const id = await idOfProject(args.project_id, resolver)
    const { project } = await withNotFoundHint(projectRef(id), linear.send(documents.getProjectText, { id }))
    await requireSameWorkspace(linear, args.project_id, project.url)
    return chunkOf(project.content ?? project.description, args.offset, args.limit)
  },
})

const lead = reference('Name, email or "@me".').optional()
const status = wordOrName(statusTypes, 'Status type; sets the first status of that type.').optional()
const days = { start_date: day().optional(), target_date: day().optional() } as const

export const createProject = defineTool({
  name: 'CreateProject',
  title: 'Create a project',
  description: Message.of(
    'Create a new project: make, add or set up one for a team, with a lead, start date and target date. Names need not be unique.',
    sentence`To change a project, use ${{ tool: 'IssueTracker.UpdateProject' }}.`,
  ),
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    name: title('The name.'),
    team: reference('Key, name or id.'),
    description: markdown().optional(),
    state: status,
    lead,
    ...days,
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: WrittenProject, ...noticesField }),
  example: { name: 'Winter tours', team: 'ENG' },
  async run(args, { linear, resolver }, { operation }) {
    checkDays(args)
    const {
      ids: { teamId, ...ids },
      namesakes,
    } = await resolver.newProject(args)
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      name: args.name,
      teamIds: [teamId],
      ...ids,
      ...(description && newTextFields(description.text)),
      startDate: args.start_date,
      targetDate: args.target_date,
    }
    const identity = await operation.claim()
    const id = identity.uuid('project')
    const { record, wasCreatedEarlier } = await documents.createProject(linear, { ...input, id })
    // An earlier attempt at this call may have created one of the namesakes.
    const namesake = namesakes.find((each) => each.id !== id)
    const ambiguous =
      namesake &&
      `Another project, with the slug ${namesake.slug_id}, has the same name. That name is now ambiguous, so refer to either project by its slug.`
    const repeated = repeatNotice(identity, wasCreatedEarlier, record.archived_at)
    const teamChange = { added: [teamId], removed: [] }
    const confirmed = wasCreatedEarlier ? undefined : confirmCreated('Linear', shownInProject(input, record, teamChange))
    const cut = cutNotice('description', wasCreatedEarlier ? undefined : description?.text, documentText(record))
    const named = ownStatusNotice(args.state, record)
    return { project: writtenProject(record), ...noticesOf(description?.notice, ambiguous, repeated, named, confirmed, ...cut) }
  },
})

const changeable = ['name', 'description', 'state', 'lead', ...Object.keys(days), 'teams_to_add', 'teams_to_remove']

export const updateProject = defineTool({
  name: 'UpdateProject',
  title: 'Change a project',
  description: Message.of(
    'Update, edit or modify a project: rename it, change its description, state or status (pause, mark as completed), lead or dates (move the target date), add or remove a team. Omitted fields stay the same.',
    sentence`To report on it, use ${{ tool: 'IssueTracker.CreateProjectUpdate' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    project_id: projectReference,
    name: title('New name.').optional(),
    description: markdown('New text, in Markdown.').optional(),
    state: status,
    lead,
    ...days,
    teams_to_add: references('Keys, names or ids.').optional(),
    teams_to_remove: references('Keys, names or ids; one must remain.').optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: WrittenProject, ...noticesField }),
  example: { project_id: 'Sync reliability', name: 'Sync and backups' },
  async run(args, { linear, resolver }) {
    checkDays(args)
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const { name, start_date: startDate, target_date: targetDate } = args
    const fields = { name, ...(description && changedTextFields(description.text)), startDate, targetDate }
    const { teams_to_add: added = [], teams_to_remove: removed = [] } = args
    const hasReferences = args.lead !== undefined || args.state !== undefined || added.length + removed.length > 0
    if (!hasReferences && isEmpty(fields)) throw new InvalidInput(`Nothing to change. Pass at least one of ${changeable.join(', ')}.`)
    const directId = directProjectId(args.project_id)
    if (directId !== undefined && !hasReferences && !description) {
      const updated = documents.updateProject(linear, { id: directId, input: fields })
      const project = await withNotFoundHint(projectRef(args.project_id), updated)
      const confirmed = confirmChange('Linear', shownInProject(fields, project, { added: [], removed: [] }))
      const notice = noticesOf(daysNotice(args, project), archivedNotice('project', project.archived_at), confirmed)
      return { project: writtenProject(project), ...notice }
    }
    const { project: current, teamIds, teamChange, ...ids } = await resolver.projectChange(args)
    checkDays(args, current)
    const input = { ...fields, ...ids, teamIds: teamIds && [...teamIds] }
    if (isEmpty(input)) {
      return { project: writtenProject(current), ...noticesOf('The project already has these values; nothing was changed.') }
    }
    const before = documentText(current)
    const { project, notices } = await replaceText({
      linear,
      parameter: 'description',
      text: description,
      before,
      read: (offset) => ({ tool: 'IssueTracker.GetProjectDescription', arguments: { project_id: current.slug_id, offset } }),
      async write() {
        const project = await documents.updateProject(linear, { id: current.id, input })
        return { project, stored: documentText(project), shown: shownInProject(input, project, teamChange, before) }
      },
    })
    return {
      project: writtenProject(project),
      ...noticesOf(archivedNotice('project', project.archived_at), ownStatusNotice(args.state, project), ...notices),
    }
  },
})

export const archiveProject = defineTool({
  name: 'ArchiveProject',
  title: 'Archive a project',
  description: Message.of(
    'Archive a project: hide, remove or put away an old or finished one. Only Linear can restore it.',
    sentence`To complete it, use ${{ tool: 'IssueTracker.UpdateProject' }}.`,
  ),
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ project: reference('Id, slug, URL or name.'), auto_accept_matches: autoAccept }),
  output: z.object({ project: ArchivedProject, ...noticesField }),
  example: { project: 'Sync reliability' },
  async run(args, { linear, resolver }) {
    const archive = async (id: string) => {
      const { entity } = (await linear.send(documents.archiveProject, { id })).project_archive
      const unconfirmed = confirmDone('Linear', isArchived(entity), 'the project is not archived')
      return { project: archivedProject(entity), ...noticesOf(unconfirmed) }
    }
    const directId = directProjectId(args.project)
    if (directId !== undefined) return withNotFoundHint(projectRef(args.project), archive(directId))
    const { id, found } = await resolver.project({
      parameter: 'project',
      reference: args.project,
      autoAccept: args.auto_accept_matches,
      includesArchived: true,
    })
    if (!found?.archived_at) return archive(id)
    return { project: archivedProject(found), ...noticesOf('The project was already archived; nothing was changed.') }
  },
})

function archivedProject({ name, slug_id: slug, archived_at: archivedAt }: z.output<typeof ArchivedProject>) {
  return { name, slug_id: slug, archived_at: archivedAt }
}

function isEmpty(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.values(fields).every((value) => value === undefined)
}
