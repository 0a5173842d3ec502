import { isObject, type JsonObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { getNamedType, getNullableType, isListType, isObjectType, isScalarType } from 'graphql'
import type { ApiSurface } from '../../graphql/api-surface.ts'
import type { EntityChange, Session } from '../../store/session.ts'
import { objectIn } from '../inputs.ts'
import { readExtras } from '../record-types.ts'
import { entityTypes, vendorSchema } from '../schema.ts'

type ResolverOf = ApiSurface['resolverOf']

/** The types of entities whose changes the vendor sends. */
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

/** What happened to one entity, without what differs between webhooks and attempts. */
export interface WebhookEvent extends JsonObject {
  readonly action: 'create' | 'update' | 'remove'
  readonly type: string
}

/** The event of a change; undefined when the vendor sends none. */
export function eventOf({ type, action, row, before }: EntityChange, session: Session, resolverOf: ResolverOf): WebhookEvent | undefined {
  if (!eventTypes.includes(type)) return undefined
  const data = dataOf(`${type}WebhookPayload`, {
    type,
    row: action === 'remove' ? row : session.get(type, stringAt(row, 'id')),
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
    ...(action === 'update' && before !== null && { updatedFrom: previousValues(before, row) }),
    organizationId: session.select('Organization', 'limit 1')[0]?.['id'] ?? null,
  }
}

/** The values before an update of what it changed. */
const previousValues = (before: JsonObject, row: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(before).filter(([name, value]) => row[name] !== value))

interface Source {
  readonly type: string
  readonly row: JsonObject
  readonly session: Session
  readonly resolverOf: ResolverOf
}

/** The fields that a type of the vendor's payloads has, from a row; those that are null are left out. */
function dataOf(payload: string, source: Source): JsonObject {
  const declared = vendorSchema().getType(payload)
  if (!isObjectType(declared)) return {}
  const { type, row, session, resolverOf } = source
  const extras = objectIn(parseJson(readExtras(session.store, stringAt(row, 'id')) ?? '{}'))
  const entries = Object.values(declared.getFields()).map(({ name, type: fieldType }): [string, unknown] => {
    const named = getNamedType(fieldType)
    const found = resolverOf(type, name)?.(row, {}, session) ?? row[name] ?? extras[name]
    if (isObjectType(named)) return [name, children(named.name, { ...source, row: { value: found } })]
    const isContainer = isListType(getNullableType(fieldType)) || named.name.startsWith('JSON')
    if (isContainer && typeof found === 'string') return [name, parseJson(found)]
    return [name, isScalarType(named) && named.name === 'Boolean' && typeof found === 'number' ? found === 1 : found]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))
}

/** A related entity, or several, in the shape of `IssueLabelChildWebhookPayload`. */
function children(payload: string, source: Source): unknown {
  const { value } = source.row
  const type = /^(\w+?)(?:Child)?WebhookPayload$/.exec(payload)?.[1] ?? ''
  const child = (row: unknown) =>
    isObject(row) && entityTypes.get(type) !== undefined ? dataOf(payload, { ...source, type, row }) : undefined
  if (Array.isArray(value)) return value.map(child)
  if (isObject(value) && Array.isArray(value['nodes'])) return value['nodes'].map(child)
  return child(value)
}
