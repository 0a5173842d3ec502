import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { initiativeStatus, initiativeStatuses } from '../linear/initiatives.ts'
import * as writes from '../linear/initiative-writes.ts'
import { changedTextFields, newTextFields } from '../linear/long-text-fields.ts'
import { InitiativeRow, ProjectRef } from '../linear/records.ts'
import { resolveInitiative, resolveLink } from '../resolve/initiative.ts'
import { initiativeSought, sought } from '../resolve/sought.ts'
import { Cut, cut } from './long-text.ts'
import { written } from './markdown.ts'
import { createdEarlier, noticeOf } from './notices.ts'
import { autoAccept, day, reference } from './parameters.ts'
import { markdown, noticed, title } from './writing.ts'

const Status = z.enum(['planned', 'started', 'paused', 'completed'])
const Initiative = InitiativeRow.omit({ description: true }).extend({
  ...Cut.shape,
  vendor_status: z.string().describe("Linear's own word for the status."),
})
const targetDate = day('Day to be done').optional()
const status = Status.optional().describe('The status. paused is refused: Linear has no such status.')

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
  output: z.object({ initiative: Initiative, ...noticed }),
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const vendorStatus = vendorStatusOf(args.status)
    const text = args.description === undefined ? undefined : written(args.description)
    const input = { name: args.name, ...(text && newTextFields(text.text)), status: vendorStatus, targetDate: args.target_date }
    const done = await identities.run(['CreateInitiative', args], (id) => writes.createInitiative(linear, { ...input, id }, signal), signal)
    return { initiative: shown(done.record), ...noticeOf(text?.notice, createdEarlier(done.earlier)) }
  },
})

export const updateInitiative = defineTool({
  name: 'UpdateInitiative',
  title: 'Change an initiative',
  description: 'Change what is given of an initiative, nothing else.',
  effect: 'update',
  scopes: ['initiative:write'],
  input: z.strictObject({
    initiative_id: reference('Id, slug, URL or name.'),
    name: title('The new name.').optional(),
    description: markdown('The new description').optional(),
    status,
    target_date: targetDate,
  }),
  output: z.object({ initiative: Initiative, ...noticed }),
  async run({ initiative_id: given, ...args }, { linear }, { signal }) {
    if (Object.values(args).every((value) => value === undefined))
      throw new InvalidInput('Nothing to change was given. Give at least one of name, description, status, target_date.')
    const vendorStatus = vendorStatusOf(args.status)
    const text = args.description === undefined ? undefined : written(args.description)
    const input = { name: args.name, ...(text && changedTextFields(text.text)), status: vendorStatus, targetDate: args.target_date }
    const { id } = await resolveInitiative(linear, { parameter: 'initiative_id', wanted: given, autoAccept: false }, signal)
    const { initiative_update: done } = await sought(initiativeSought(given), linear.run(writes.updateInitiative, { id, input }, signal))
    return { initiative: shown(done.initiative), ...noticeOf(text?.notice) }
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
  output: z.object({ initiative: writes.InitiativeRef, project: ProjectRef, changed: z.boolean(), ...noticed }),
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const { initiative, project, isLinked, archived } = await resolveLink(linear, args, signal)
    if (isLinked) return { initiative, project, changed: false }
    const add = async (id: string) => writes.addProject(linear, { initiative, project, id }, signal)
    const changed = await identities.run(['AddProjectToInitiative', args], add, signal)
    return { initiative, project, changed, ...noticeOf(...archived.map((kind) => `The ${kind} is archived.`)) }
  },
})

export const archiveInitiative = defineTool({
  name: 'ArchiveInitiative',
  title: 'Archive an initiative',
  description: 'Archive an initiative; its projects stay. Only Linear itself can restore it. Archiving again changes nothing.',
  effect: 'delete',
  scopes: ['initiative:write'],
  input: z.strictObject({ initiative: reference('Id, slug, URL or name.'), auto_accept_matches: autoAccept }),
  output: z.object({ initiative: writes.ArchivedInitiative, ...noticed }),
  async run({ initiative: given, auto_accept_matches: accept }, { linear }, { signal }) {
    const { id, found } = await resolveInitiative(
      linear,
      { parameter: 'initiative', wanted: given, autoAccept: accept, archived: true },
      signal,
    )
    if (found?.archived_at) return { initiative: found, notice: 'It was archived already; nothing was changed.' }
    const { initiative_archive: done } = await sought(initiativeSought(given), linear.run(writes.archiveInitiative, { id }, signal))
    return { initiative: done.entity }
  },
})

function shown(initiative: writes.Initiative) {
  return { ...cut(initiative), status: initiativeStatus(initiative.status), vendor_status: initiative.status }
}

/** Linear's word for a status. Throws `InvalidInput` for the one that it has not. */
function vendorStatusOf(wanted: z.output<typeof Status> | undefined) {
  if (wanted !== 'paused') return wanted && initiativeStatuses[wanted]
  throw new InvalidInput('Linear has no paused initiatives. "status" can be planned, started or completed, or be left out.')
}
