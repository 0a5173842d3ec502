import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { isUuid, tidy } from '../linear/references.ts'
import { changedTextFields, newTextFields } from '../linear/long-text-fields.ts'
import * as writes from '../linear/project-writes.ts'
import { ProjectRow } from '../linear/records.ts'
import { resolveNewProject, resolveProject, resolveProjectChange, takenAsItIs } from '../resolve/project.ts'
import { projectSought, sought } from '../resolve/sought.ts'
import { Cut, cut } from './long-text.ts'
import { written } from './markdown.ts'
import { archivedNotice, createdEarlier, noticeOf } from './notices.ts'
import { autoAccept, day, reference } from './parameters.ts'
import { body, markdown, names, noticed, title } from './writing.ts'

const ProjectState = z.enum(['planned', 'started', 'paused', 'completed', 'canceled', 'backlog'])
const Health = z.enum(['onTrack', 'atRisk', 'offTrack'])
const Project = ProjectRow.omit({ description: true }).extend(Cut.shape)
const projectReference = reference('Id, slug or URL.')
const lead = reference('Name or e-mail of a workspace member, or "@me".').optional()
const days = { start_date: day('First day').optional(), target_date: day('Day to be done').optional() } as const

export const createProject = defineTool({
  name: 'CreateProject',
  title: 'Create a project',
  description: 'Create a project in a team. Names that fit nothing or several are refused. Safe to repeat when the answer was lost.',
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    name: title('The name.'),
    team: reference('Key, name or id.'),
    description: markdown('What it is about').optional(),
    state: ProjectState.optional().describe('The status, by its type; the first status of that type in the workspace.'),
    lead,
    ...days,
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: Project, ...noticed }),
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    refuseBackwards(args)
    const { teamId, ...ids } = await resolveNewProject(linear, args, signal)
    const text = args.description === undefined ? undefined : written(args.description)
    const input = {
      name: args.name,
      teamIds: [teamId],
      ...ids,
      ...(text && newTextFields(text.text)),
      startDate: args.start_date,
      targetDate: args.target_date,
    }
    const created = await identities.run(['CreateProject', args], (id) => writes.createProject(linear, { ...input, id }, signal), signal)
    return { project: cut(created.record), ...noticeOf(text?.notice, createdEarlier(created.earlier)) }
  },
})

export const updateProject = defineTool({
  name: 'UpdateProject',
  title: 'Change a project',
  description: 'Change what is given of a project. Names that fit nothing or several are refused.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    project_id: projectReference,
    name: title('The new name.').optional(),
    description: markdown('The new description').optional(),
    state: ProjectState.optional().describe('The status, by its type; the first status of that type in the workspace.'),
    lead,
    ...days,
    teams_to_add: names('Keys, names or ids.').optional(),
    teams_to_remove: names('Keys, names or ids. One must remain.').optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ project: Project, ...noticed }),
  async run(args, { linear }, { signal }) {
    refuseBackwards(args)
    const { project_id: given, name, description, start_date: startDate, target_date: targetDate } = args
    const text = description === undefined ? undefined : written(description)
    const fields = { name, ...(text && changedTextFields(text.text)), startDate, targetDate }
    const hasNames = refersByName(args)
    if (!hasNames && isEmpty(fields)) throw nothingGiven()
    const taken = takenAsItIs(given)
    if (taken !== undefined && !hasNames) {
      const { project_update: done } = await sought(
        projectSought(given),
        linear.run(writes.updateProject, { id: taken, input: fields }, signal),
      )
      return {
        project: cut(done.project),
        ...noticeOf(text?.notice, backwardsNow(args, done.project), archivedNotice('project', done.project.archived_at)),
      }
    }
    const { project: found, teamIds, ...ids } = await resolveProjectChange(linear, args, signal)
    refuseBackwards(args, found)
    const input = { ...fields, ...ids, teamIds: teamIds && [...teamIds] }
    if (isEmpty(input)) {
      return { project: cut(found), notice: 'The project is that way already; nothing was changed.' }
    }
    const { project_update: done } = await linear.run(writes.updateProject, { id: found.id, input }, signal)
    return { project: cut(done.project), ...noticeOf(text?.notice, archivedNotice('project', done.project.archived_at)) }
  },
})

export const createProjectUpdate = defineTool({
  name: 'CreateProjectUpdate',
  title: 'Post a project update',
  description: 'Post a status update on a project. Health stays as it is if left out. Safe to repeat when the answer was lost.',
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    project_id: projectReference,
    body: body('How it goes'),
    health: Health.optional().describe('The new health.'),
  }),
  output: z.object({ project_update: writes.PostedUpdate, ...noticed }),
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const { project_id: given, body: said, health: wanted } = args
    const text = written(said)
    const { id: projectId, found } =
      wanted !== undefined && isUuid(tidy(given))
        ? { id: tidy(given) }
        : await resolveProject(linear, { parameter: 'project_id', wanted: given, autoAccept: false }, signal)
    const health = wanted ?? Health.safeParse(found?.health).data
    const create = (id: string) => writes.createProjectUpdate(linear, { id, projectId, body: text.text, health }, signal)
    const done = await identities.run(['CreateProjectUpdate', args], (id) => sought(projectSought(given), create(id)), signal)
    const chosen = health === undefined ? `The project had no health so far; Linear has set it to ${done.record.health}.` : undefined
    const archived = archivedNotice('project', done.record.project.archived_at)
    return { project_update: done.record, ...noticeOf(text.notice, chosen, archived, createdEarlier(done.earlier)) }
  },
})

export const archiveProject = defineTool({
  name: 'ArchiveProject',
  title: 'Archive a project',
  description: 'Archive a project. Only Linear itself can restore it. Archiving again changes nothing.',
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ project: reference('Id, slug, URL or name.'), auto_accept_matches: autoAccept }),
  output: z.object({ project: writes.ArchivedProject, ...noticed }),
  async run({ project: given, auto_accept_matches: accept }, { linear }, { signal }) {
    const taken = takenAsItIs(given)
    if (taken !== undefined) return { project: await sought(projectSought(given), writes.archiveProject(linear, taken, signal)) }
    const { id, found } = await resolveProject(linear, { parameter: 'project', wanted: given, autoAccept: accept, archived: true }, signal)
    if (!found?.archived_at) return { project: await writes.archiveProject(linear, id, signal) }
    const { name, slug_id: slug, url, archived_at: at } = found
    return { project: { id, name, slug_id: slug, url, archived_at: at }, notice: 'It was archived already; nothing was changed.' }
  },
})

interface Days {
  readonly start_date?: string | null | undefined
  readonly target_date?: string | null | undefined
}

/** Throws `InvalidInput` where a day that is given, and the other one, given or stored, are in the wrong order. */
function refuseBackwards({ start_date: start, target_date: target }: Days, stored: Days = {}): void {
  if (start == null && target == null) return
  const [first, last] = [start ?? stored.start_date, target ?? stored.target_date]
  if (first == null || last == null || first <= last) return
  const told = (day: string, given: Days['start_date']) => (given == null ? `${day}, as the project has it` : day)
  throw new InvalidInput(
    `"start_date" (${told(first, start)}) is after "target_date" (${told(last, target)}). Give both days that are meant.`,
  )
}

/** Said of a project whose days are in the wrong order now, because the one was not known when the other was given. */
function backwardsNow({ start_date: start, target_date: target }: Days, now: Days): string | undefined {
  if ((start == null && target == null) || now.start_date == null || now.target_date == null) return undefined
  return now.start_date > now.target_date
    ? `The project starts (${now.start_date}) after its target date (${now.target_date}) now.`
    : undefined
}

interface Names {
  readonly lead?: string | undefined
  readonly state?: string | undefined
  readonly teams_to_add?: readonly string[] | undefined
  readonly teams_to_remove?: readonly string[] | undefined
}

function refersByName({ lead: person, state, teams_to_add: toAdd = [], teams_to_remove: toRemove = [] }: Names): boolean {
  return person !== undefined || state !== undefined || toAdd.length + toRemove.length > 0
}

function isEmpty(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.values(fields).every((value) => value === undefined)
}

function nothingGiven(): InvalidInput {
  return new InvalidInput(
    'Nothing to change was given. Give at least one of name, description, state, lead, start_date, target_date, teams_to_add, teams_to_remove.',
  )
}
