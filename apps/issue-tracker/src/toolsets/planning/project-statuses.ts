import { Conflict, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { createUnique } from '../../linear/client.ts'
import * as documents from '../../linear/planning/workspace.ts'
import { showsLine } from '../../linear/stored.ts'
import { creationNotice, emptyNotice, noticesOf, repeatNotice } from '../../tools/notices.ts'
import { noticesField, title } from '../../tools/parameters.ts'
import { compact, text } from '../../tools/rows.ts'

const types = ['backlog', 'planned', 'started', 'paused', 'completed', 'canceled'] as const
const StatusType = z.enum(types)
/** Colors that Linear gives to new statuses of each type. */
const colors = { backlog: '#bec2c8', planned: '#bec2c8', started: '#f2c94c', paused: '#95a2b3', completed: '#5e6ad2', canceled: '#95a2b3' }

const Color = z
  .string()
  .max(7)
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #5e6ad2')

const StatusRow = z.object({ name: text, type: text, color: text.optional(), description: text.optional() })

function statusRow({ name, type, color, description }: documents.ProjectStatus): z.output<typeof StatusRow> {
  return compact({ name, type, color, description })
}

const typeOrder = (type: string) => types.findIndex((each) => each === type)

export const listAvailableProjectStatuses = defineTool({
  name: 'ListAvailableProjectStatuses',
  title: 'List project statuses',
  description: Message.of(
    'List the statuses that projects can have in this workspace, with their own names, in order.',
    sentence`${{ tool: 'IssueTracker.UpdateProject' }} sets one by its name, or the first of a type.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ status_type: StatusType.optional().describe('Only of this type.') }),
  output: z.object({ project_statuses: z.array(StatusRow), ...noticesField }),
  example: {},
  async run({ status_type: type }, { linear }) {
    const { project_statuses: all } = (await linear.send(documents.projectStatuses, {})).organization
    const statuses = all.filter((status) => type === undefined || status.type === type)
    const sorted = statuses.toSorted((a, b) => typeOrder(a.type) - typeOrder(b.type) || a.position - b.position)
    return { project_statuses: sorted.map(statusRow), ...noticesOf(emptyNotice('project status', statuses, { status_type: type })) }
  },
})

export const createProjectStatus = defineTool({
  name: 'CreateProjectStatus',
  title: 'Create a project status',
  description: Message.of(
    'Create a status for projects (such as "In beta", of type started), the last of its type. Its name must be new.',
    sentence`For those that exist, use ${{ tool: 'IssueTracker.ListAvailableProjectStatuses' }}.`,
  ),
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    name: title('The name.'),
    status_type: StatusType.describe('What it means for progress.'),
    color: Color.optional().describe('Such as #5e6ad2.'),
    description: title('What it is for.').optional(),
  }),
  output: z.object({ project_status: StatusRow, ...noticesField }),
  example: { name: 'In field test', status_type: 'started' },
  async run({ name, status_type: type, color = colors[type], description }, { linear }, { operation, notice }) {
    const { project_statuses: all } = (await linear.send(documents.projectStatuses, {})).organization
    const earlier = await operation.begin()
    const namesake = all.find((each) => each.name.toLowerCase() === name.trim().toLowerCase())
    if (earlier && namesake?.id === earlier.uuid('status'))
      return { project_status: statusRow(namesake), ...noticesOf(repeatNotice(earlier, true)) }
    if (namesake)
      throw new Conflict(
        `There is already a project status ${quote(namesake.name, 80)}, of type ${namesake.type}. Use it, or choose another name.`,
      )
    const position = Math.max(0, ...all.filter((each) => each.type === type).map((each) => each.position)) + 1
    const fields = { name, type, color, description, position }
    const creation = await createUnique(operation, async (own) =>
      documents.createProjectStatus(linear, { ...fields, id: own.uuid('status') }),
    )
    const { record, wasCreatedEarlier } = creation.result
    const texts = { name: showsLine(name, record.name), description: showsLine(description, record.description) }
    const shown = { ...texts, status_type: record.type === type, color: record.color === color }
    const confirmed = wasCreatedEarlier ? undefined : confirmCreated('Linear', shown)
    notice(Message.of(sentence`To give it to a project, pass its name as "state" to ${{ tool: 'IssueTracker.UpdateProject' }}.`))
    return { project_status: statusRow(record), ...noticesOf(creationNotice(creation, wasCreatedEarlier), confirmed) }
  },
})
