import { Message, sentence } from '@mcp-toolkits/core/errors'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import * as documents from '../linear/projects.ts'
import { isUuid, plainReading } from '../linear/references.ts'
import { plainText, showsText } from '../linear/stored.ts'
import { projectRef, withNotFoundHint } from '../resolve/not-found.ts'
import { withLineBreaks } from './long-text.ts'
import { archivedNotice, noticesOf, repeatNotice } from './notices.ts'
import { body, noticesField, projectReference } from './parameters.ts'
import { text } from './rows.ts'

const Health = z.enum(['onTrack', 'atRisk', 'offTrack'])

export const createProjectUpdate = defineTool({
  name: 'CreateProjectUpdate',
  title: 'Post a project update',
  description: Message.of(
    'Post a project update (status update, weekly report): write or report on progress and health (at risk, on track). It cannot be edited.',
    sentence`To change fields, use ${{ tool: 'IssueTracker.UpdateProject' }}.`,
  ),
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    project_id: projectReference,
    body: body(),
    health: Health.optional().describe('Unchanged if omitted.'),
  }),
  output: z.object({
    project_update: z.object({ project: z.string(), health: z.string(), url: text.optional(), created_at: z.string() }),
    ...noticesField,
  }),
  example: { project_id: 'Trails launch', body: 'On time.', health: 'onTrack' },
  async run(args, { linear, resolver }, { operation }) {
    const { text, notice } = withLineBreaks(args.body)
    const isDirect = args.health !== undefined && isUuid(plainReading(args.project_id))
    const { id: projectId, found } = isDirect
      ? { id: plainReading(args.project_id), found: undefined }
      : await resolver.project({ parameter: 'project_id', reference: args.project_id, autoAccept: false })
    const health = args.health ?? Health.safeParse(found?.health).data
    const identity = await operation.claim()
    const id = identity.uuid('project update')
    const created = documents.createProjectUpdate(linear, { id, projectId, body: text, health })
    const { record, wasCreatedEarlier } = await withNotFoundHint(projectRef(args.project_id), created)
    const firstHealth = health === undefined ? `The project had no health before; Linear set it to ${record.health}.` : undefined
    const archived = archivedNotice('project', record.project.archived_at)
    const repeated = repeatNotice(identity, wasCreatedEarlier, record.archived_at)
    const { health: recorded, url, created_at: createdAt } = record
    const posted = { project: record.project.name, health: recorded, url, created_at: createdAt }
    const shown = { body: showsText(text, record.body), health: health === undefined ? undefined : recorded === health }
    const confirmed = wasCreatedEarlier ? undefined : confirmCreated('Linear', shown)
    return { project_update: posted, ...noticesOf(notice, firstHealth, archived, repeated, twinNotice(record, id), confirmed) }
  },
})

/** The notice for an update with the same text as a recent one on the project. */
function twinNotice({ body, project }: documents.StatusPost, id: string): string | undefined {
  const twin = project.project_updates.find((each) => each.id !== id && plainText(each.body) === plainText(body))
  return twin && `The project already had an update with the same text, from ${twin.created_at}.`
}
