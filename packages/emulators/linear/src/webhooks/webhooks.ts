import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject, parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { changeRow, entity, findRow } from '../engine/crud.ts'
import type { FieldResolver, ResolverOf } from '../engine/entity-module.ts'
import { storedValue } from '../engine/fields.ts'
import { badArgument } from '../errors.ts'
import { requireAdmin } from '../people/admins.ts'
import type { Entity } from '../store/entity-type.ts'
import type { EntityChange, Session } from '../store/session.ts'
import { wholesOf } from '../store/visibility.ts'
import { visibilityOf } from '../teams/teams.ts'
import { fieldsOf, isLeaf, isList, nameOf } from '../vendor/declarations.ts'
import { addDelivery } from './deliveries.ts'

/** Entity types whose changes the vendor sends. */
export const eventTypes: readonly string[] = [
  'Attachment',
  'Comment',
  'Customer',
  'CustomerNeed',
  'Cycle',
  'Document',
  'Initiative',
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'Project',
  'ProjectUpdate',
  'Reaction',
  'User',
]

const newSecret = () => `lin_wh_${randomBytes(24).toString('base64url')}`

/** Types with events at the vendor, but not in the emulator. */
const otherTypes = ['AuditEntry', 'AgentSessionEvent', 'IssueSLA', 'OAuthApp', 'AppUserNotification', 'PermissionChange']

const adminsOnly = 'Only admins of the workspace can manage webhooks.'

const rotateSecret: FieldResolver = (_, args, session) => {
  requireAdmin(session, adminsOnly)
  const secret = newSecret()
  changeRow(session, { type: 'Webhook', before: findRow(session, 'Webhook', args['id']), changes: { secret } })
  return { secret }
}

/** Webhooks, which only admins manage. */
export const webhooks = entity('Webhook', {
  defaults: () => ({ secret: newSecret(), enabled: true, allPublicTeams: false }),
  check(session, values, before) {
    requireAdmin(session, adminsOnly)
    const { url, resourceTypes } = values
    if (typeof url === 'string' && !/^https?:\/\//.test(URL.canParse(url) ? new URL(url).href : ''))
      throw badArgument('url must be a URL address.')
    if (typeof resourceTypes === 'string') {
      const types = stringsIn(parseJson(resourceTypes))
      const unknown = types.find((type) => !eventTypes.includes(type) && !otherTypes.includes(type))
      if (types.length === 0) throw badArgument('resourceTypes should not be empty.')
      if (unknown !== undefined) throw badArgument(`each value in resourceTypes must be a resource type; ${unknown} is not.`)
    }
    if (before === undefined && typeof values['teamId'] !== 'string' && values['allPublicTeams'] !== true)
      throw badArgument('teamId must be given, or allPublicTeams must be true.')
    return undefined
  },
  beforeRemoval(session, row) {
    requireAdmin(session, adminsOnly)
    session.store.run('delete from emulator_webhook_deliveries where webhook = :id', { id: row.id })
  },
  mutations: { webhookRotateSecret: rotateSecret },
})

/** The teams to which an entity belongs; undefined if it belongs to none. */
function teamsOf(session: Session, type: string, row: Entity): readonly unknown[] | undefined {
  if (typeof row['teamId'] === 'string') return [row['teamId']]
  if (type === 'Project')
    return session
      .select('Team', 'where a.id in (select teamId from projectTeams where projectId = :id)', { id: row.id })
      .map(({ id }) => id)
  const teams = wholesOf(row, session.find).map((whole) => teamsOf(session, whole.type, whole.row))
  return teams.find((each) => each !== undefined)
}

/** True if a webhook covers an entity that belongs to these teams. */
function isFor(session: Session, { teamId, allPublicTeams }: Entity, teams: readonly unknown[] | undefined): boolean {
  if (teams === undefined || (typeof teamId === 'string' && teams.includes(teamId))) return true
  const found = teams.map((id) => session.find('Team', id))
  return Number(allPublicTeams) === 1 && found.some((team) => team !== null && visibilityOf(session, team) === 'public')
}

/** Stores a delivery for each change and each webhook subscribed to it; true if any was stored. */
export function storeDeliveries(changes: readonly EntityChange[], session: Session, resolverOf: ResolverOf): boolean {
  const webhooks = session.select('Webhook', 'where a.enabled = 1 and a.archivedAt is null')
  if (webhooks.length === 0) return false
  const wanted = changes.flatMap((change) => {
    const teams = teamsOf(session, change.type, change.row)
    const interested = webhooks.filter(
      (each) => stringsIn(parseJson(stringAt(each, 'resourceTypes'))).includes(change.type) && isFor(session, each, teams),
    )
    const event = interested.length === 0 ? undefined : eventOf(change, session, resolverOf)
    return event === undefined ? [] : interested.map((each) => ({ webhookId: each.id, event }))
  })
  for (const each of wanted) addDelivery(session.store, { ...each, at: session.at })
  return wanted.length > 0
}

/** A change's event, as sent to every webhook in every attempt; undefined if the vendor sends none. */
function eventOf({ type, action, row, before }: EntityChange, session: Session, resolverOf: ResolverOf): JsonObject | undefined {
  if (!eventTypes.includes(type)) return undefined
  const data = dataOf(`${type}WebhookPayload`, {
    type,
    row: action === 'remove' ? row : session.get(type, row.id),
    session,
    resolverOf,
  })
  const actor = dataOf('UserActorWebhookPayload', { type: 'User', row: session.get('User', session.viewerId), session, resolverOf })
  const wasTrashed = before !== null && before['trashed'] !== 1 && row['trashed'] === 1
  return {
    action: wasTrashed ? 'remove' : action,
    actor: { ...actor, type: 'user' },
    createdAt: session.at,
    data,
    ...(typeof data['url'] === 'string' && { url: data['url'] }),
    type,
    ...(action === 'update' &&
      before !== null && { updatedFrom: Object.fromEntries(Object.entries(before).filter(([name, value]) => row[name] !== value)) }),
    organizationId: session.select('Organization', 'limit 1')[0]?.['id'] ?? null,
  }
}

interface Source {
  readonly type: string
  readonly row: JsonObject
  readonly session: Session
  readonly resolverOf: ResolverOf
}

/** A row's non-null fields, for one of the vendor's payload types. */
function dataOf(payload: string, source: Source): JsonObject {
  const entries = [...fieldsOf(payload)].map(([name, field]): [string, unknown] => {
    const named = nameOf(field.type)
    const found = valueOf(name, source)
    if (!isLeaf(named)) return [name, children(named, { ...source, row: { value: found } })]
    const isContainer = isList(field.type) || named.startsWith('JSON')
    if (isContainer && typeof found === 'string') return [name, parseJson(found)]
    return [name, named === 'Boolean' && typeof found === 'number' ? found === 1 : found]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

/** The value of an entity's field, or of the column with that name. */
function valueOf(name: string, { type, row, session, resolverOf }: Source): unknown {
  const resolver = resolverOf(type, name)
  if (resolver !== undefined) return resolver(row, {}, session)
  if (fieldsOf(type).has(name)) return storedValue(row[name], { source: row, args: {}, session, parent: type, name })
  return row[name] ?? session.extras(stringAt(row, 'id'))[name]
}

/** A related entity, or several, in the shape of `IssueLabelChildWebhookPayload`. */
function children(payload: string, source: Source): unknown {
  const { value } = source.row
  const type = /^(\w+?)(?:Child)?WebhookPayload$/.exec(payload)?.[1] ?? ''
  const child = (row: unknown) =>
    isObject(row) && source.session.entityTypes.get(type) !== undefined ? dataOf(payload, { ...source, type, row }) : undefined
  if (Array.isArray(value)) return value.map(child)
  if (isObject(value) && Array.isArray(value['nodes'])) return value['nodes'].map(child)
  return child(value)
}
