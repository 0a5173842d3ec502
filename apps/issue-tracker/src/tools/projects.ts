import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { refuseForeignPage } from '../linear/addresses.ts'
import { nameFilters, teamFilter } from '../linear/filters.ts'
import {
  findProject,
  getProject as getProjectOperation,
  getProjectText,
  listProjects as listProjectsOperation,
  ProjectDetail,
} from '../linear/projects.ts'
import { ProjectRow } from '../linear/records.ts'
import { isUuid, projectNamed, tidy, workspaceIn } from '../linear/references.ts'
import { archivedAmong, refuseMisses } from '../resolve/lists.ts'
import { columnOf, notAnId, pick } from '../resolve/lookup.ts'
import { projectSought, sought } from '../resolve/sought.ts'
import { emptyNotice, noticeOf } from './notices.ts'
import { autoAccept, createdAfter, endCursor, include, keywords, limit, reference } from './parameters.ts'
import { Chunk, chunkOf, chunkParameters, Cut, cut } from './long-text.ts'

export const getProject = defineTool({
  name: 'GetProject',
  title: 'Get a project',
  description: Message.of(
    'One project: status, lead, teams, latest status posts, and as asked for milestones, members and issues.',
    sentence`A description over 5,000 characters is cut; ${{ tool: 'IssueTracker.GetProjectDescription' }} reads all of it.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    value: reference('What lookup_by says, or a URL.'),
    lookup_by: z.enum(['id', 'slug_id', 'name']).default('id').describe('What value is.'),
    include_milestones: include.flag('The milestones.'),
    include_members: include.flag('The first 50 members.'),
    include_issues: include.flag('The ten issues that changed last.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: ProjectDetail.extend(Cut.shape) }),
  async run({ value: given, lookup_by: said, auto_accept_matches: accept, ...flags }, { linear }, { signal }) {
    const asked = { milestones: flags.include_milestones, members: flags.include_members, issues: flags.include_issues }
    const value = tidy(given)
    const isAddress = workspaceIn(value) !== undefined
    const column = columnOf(value, said)
    const byId = async (id: string) => (await sought(projectSought(id), linear.run(getProjectOperation, { id, ...asked }, signal))).project
    // The address of a project's page says which one is meant, whatever it was said to be.
    if (column !== 'name' || isAddress) {
      const named = projectNamed(value)
      if (column === 'id' && !isUuid(named) && !isAddress) throw notAnId(value, ['slug_id', 'name'])
      const project = await byId(named)
      refuseForeignPage(given, project.url)
      return { project: cut(project) }
    }
    const filter = { name: { eqIgnoreCase: value } }
    const { exact, candidates } = await linear.run(findProject, { filter, ...asked }, signal)
    const found = pick({ column, exact, candidates, wanted: given, kind: 'project', autoAccept: accept })
    return { project: cut('name' in found ? found : await byId(found.closeTo)) }
  },
})

export const listProjects = defineTool({
  name: 'ListProjects',
  title: 'List projects',
  description: 'Projects that pass all filters given, newest first, archived ones left out.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in the name.'),
    state: z.enum(['planned', 'started', 'paused', 'completed', 'canceled', 'backlog']).optional().describe('The type of the status.'),
    team: reference('Name, key or id of a team that takes part.').optional(),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ projects: z.array(ProjectRow), pagination: Pagination, notice: z.string().optional() }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }, { signal }) {
    const { keywords: words, state, team, created_after: since } = filters
    const { after, pagination } = startPaging(['ListProjects', filters], cursor)
    const wanted = team === undefined ? undefined : teamFilter(team)
    const conditions = [
      ...(words === undefined ? [] : nameFilters(words)),
      ...(state === undefined ? [] : [{ status: { type: { eq: state } } }]),
      ...(wanted === undefined ? [] : [{ accessibleTeams: { some: wanted } }]),
      ...(since === undefined ? [] : [{ createdAt: { gte: since } }]),
    ]
    const filter = conditions.length === 0 ? undefined : { and: conditions }
    const page = await linear.run(listProjectsOperation, { first, after, filter, team: wanted, hasTeam: team !== undefined }, signal)
    await refuseMisses(linear, { wanted: { team }, found: page }, signal)
    return {
      projects: page.projects,
      pagination: pagination(page.has_more_projects, page.projects_end_cursor),
      ...noticeOf(emptyNotice('project', page.projects, filters).notice, archivedAmong(page.projects, page.team)),
    }
  },
})

export const getProjectDescription = defineTool({
  name: 'GetProjectDescription',
  title: 'Read a project description',
  description: 'The whole description of a project, piece by piece: read on with offset = next_offset until that is null.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ project_id: reference('Id, slug or URL.'), ...chunkParameters }),
  output: Chunk,
  async run({ project_id: given, offset, limit: count }, { linear }, { signal }) {
    const id = projectNamed(given)
    const { project } = await sought(projectSought(id), linear.run(getProjectText, { id }, signal))
    refuseForeignPage(given, project.url)
    return chunkOf(project.content ?? project.description, offset, count)
  },
})
