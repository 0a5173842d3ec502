import { randomBytes } from 'node:crypto'
import { parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../../entities/entity-module.ts'
import type { ApiSurface } from '../../graphql/api-surface.ts'
import { badArgument, forbidden } from '../../errors.ts'
import type { EntityRow } from '../../store/entity-type.ts'
import type { EntityChange, Session } from '../../store/session.ts'
import { changeRow, findRow, type Kind, operationsOf } from '../operations/kinds.ts'
import { addDelivery } from './deliveries.ts'
import { eventOf, eventTypes } from './payload.ts'

const newSecret = () => `lin_wh_${randomBytes(24).toString('base64url')}`

/** Types whose events the vendor has, and the emulator does not. */
const otherTypes = ['AuditEntry', 'AgentSessionEvent', 'IssueSLA', 'OAuthApp', 'AppUserNotification', 'PermissionChange']

function requireAdmin(session: Session): void {
  if (session.get('User', session.viewerId)['admin'] !== 1) throw forbidden('Only admins of the workspace can manage webhooks.')
}

const webhook: Kind = {
  defaults: () => ({ secret: newSecret(), enabled: true, allPublicTeams: false }),
  check(session, values, before) {
    requireAdmin(session)
    const { url, resourceTypes } = values
    if (typeof url === 'string' && !/^https?:\/\//.test(URL.canParse(url) ? new URL(url).href : ''))
      throw badArgument('url must be a URL address.')
    if (typeof resourceTypes === 'string') {
      const types = stringsIn(parseJson(resourceTypes))
      const unknown = types.find((type) => !eventTypes.includes(type) && !otherTypes.includes(type))
      if (types.length === 0) throw badArgument('resourceTypes should not be empty.')
      if (unknown !== undefined) throw badArgument(`each value in resourceTypes must be a resource type; ${unknown} is none.`)
    }
    if (before === undefined && typeof values['teamId'] !== 'string' && values['allPublicTeams'] !== true)
      throw badArgument('teamId must be given, or allPublicTeams must be true.')
    return undefined
  },
  beforeRemoval(session, row) {
    requireAdmin(session)
    session.store.run('delete from emulator_webhook_deliveries where webhook = :id', { id: stringAt(row, 'id') })
  },
}

const rotateSecret: FieldResolver = (_, args, session) => {
  requireAdmin(session)
  const secret = newSecret()
  changeRow(session, { type: 'Webhook', before: findRow(session, 'Webhook', args['id']), changes: { secret } })
  return { secret }
}

/** Webhooks. */
export const webhookOperations: readonly Resolvers[] = [
  operationsOf('Webhook', webhook),
  { Mutation: { webhookRotateSecret: rotateSecret } },
]

/** The teams to which an entity belongs; undefined when it belongs to none. */
function teamsOf(session: Session, type: string, row: EntityRow): readonly unknown[] | undefined {
  if (typeof row['teamId'] === 'string') return [row['teamId']]
  if (type === 'Issue' || type === 'Project')
    return session
      .select('Team', 'where a.id in (select teamId from projectTeams where projectId = :id)', { id: stringAt(row, 'id') })
      .map(({ id }) => id)
  const issue = session.find('Issue', row['issueId'])
  if (issue !== null) return [issue['teamId']]
  const project = session.find('Project', row['projectId'])
  return project === null ? undefined : teamsOf(session, 'Project', project)
}

/** Whether a webhook is for an entity of these teams. */
function isFor(session: Session, { teamId, allPublicTeams }: EntityRow, teams: readonly unknown[] | undefined): boolean {
  if (teams === undefined || (typeof teamId === 'string' && teams.includes(teamId))) return true
  return Number(allPublicTeams) === 1 && teams.some((id) => session.find('Team', id)?.['private'] === 0)
}

/** Stores a delivery of each change for each webhook that wants it; true when there is one. */
export function storeDeliveries(changes: readonly EntityChange[], session: Session, resolverOf: ApiSurface['resolverOf']): boolean {
  const webhooks = session.select('Webhook', 'where a.enabled = 1 and a.archivedAt is null')
  if (webhooks.length === 0) return false
  const wanted = changes.flatMap((change) => {
    const teams = teamsOf(session, change.type, change.row)
    const interested = webhooks.filter(
      (each) => stringsIn(parseJson(stringAt(each, 'resourceTypes'))).includes(change.type) && isFor(session, each, teams),
    )
    const event = interested.length === 0 ? undefined : eventOf(change, session, resolverOf)
    return event === undefined ? [] : interested.map((each) => ({ webhookId: stringAt(each, 'id'), event }))
  })
  for (const each of wanted) addDelivery(session.store, { ...each, at: session.at })
  return wanted.length > 0
}
