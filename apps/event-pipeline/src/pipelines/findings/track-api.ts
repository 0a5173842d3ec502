import { isObject, type JsonObject } from '@mcp-toolkits/core/base'

/** Reserved events with the effects of actions on a person. */
const reservedEvents: Readonly<Record<string, string>> = {
  delete: 'User Deleted',
  suppress: 'User Suppressed',
  unsuppress: 'User Unsuppressed',
  add_device: 'Device Created or Updated',
  delete_device: 'Device Deleted',
}

/**
 * The calls with the same effect as a request to the vendor's other API; undefined for a different body, or if no calls have that effect.
 * https://docs.customer.io/api/track/
 */
export function fromTrackApi({ type, action, identifiers, data = {}, ...request }: JsonObject): readonly JsonObject[] | undefined {
  const { attributes = data, cio_relationships: relationships = [], primary, secondary, ...rest } = request
  if ((type !== 'person' && type !== 'object') || typeof action !== 'string') return undefined
  const [kept, merged] = [primary, secondary].map((each) => memberOf(each, 'id'))
  if (action === 'merge' && kept !== undefined && merged !== undefined) return [{ type: 'alias', userId: kept, previousId: merged }]
  if (!isObject(identifiers) || !isObject(attributes) || !Array.isArray(relationships)) return undefined
  const ends: readonly unknown[] = relationships
  const isPerson = type === 'person'
  const pairs = ends.map((end) => {
    const other = memberOf(end, 'identifiers')
    const [person, object] = isPerson ? [identifiers, other] : [other, identifiers]
    const relationshipAttributes = memberOf(end, 'relationship_attributes')
    return { person, object, ...(relationshipAttributes !== undefined && { relationshipAttributes }) }
  })
  if (pairs.some(({ person }) => personOf(person)['userId'] === undefined)) return undefined
  const own = isPerson || pairs.length > 0 ? [] : [{ person: undefined, object: identifiers }]
  const groups = [...own, ...pairs].map(({ object, person, ...relationship }) => ({
    ...personOf(person),
    type: 'group',
    groupId: memberOf(object, 'object_id'),
    traits: { ...(!isPerson && attributes), ...typeOfObject(object), ...relationship },
  }))
  if (action === 'add_relationships' || (action === 'identify' && !isPerson)) return groups
  if (action === 'delete_relationships')
    return pairs.map(({ person, object }) => ({
      ...personOf(person),
      type: 'track',
      event: 'Relationship Deleted',
      properties: { objectId: memberOf(object, 'object_id'), ...typeOfObject(object) },
    }))
  const call = isPerson ? callOn(identifiers, action, { ...rest, attributes }) : undefined
  return call && [call, ...groups]
}

/** The call for an action on a person. */
function callOn(identifiers: JsonObject, action: string, { attributes, name, device, ...rest }: JsonObject): JsonObject | undefined {
  const { id, email } = identifiers
  const event = Object.hasOwn(reservedEvents, action) ? reservedEvents[action] : undefined
  if (event !== undefined) {
    const [token, type] = [memberOf(device, 'id'), memberOf(device, 'platform')]
    const context = device !== undefined && { context: { device: { token, ...(type !== undefined && { type }) } } }
    return { ...personOf(identifiers), type: 'track', event, ...context, ...rest }
  }
  if (action === 'identify' && id === undefined)
    return { type: 'identify', traits: { email, ...(isObject(attributes) && attributes) }, ...rest }
  if (action === 'identify') return { type: 'identify', userId: id, traits: attributes, ...rest }
  if (action === 'event') return { ...personOf(identifiers), type: 'track', event: name, properties: attributes, ...rest }
  return action === 'page' || action === 'screen'
    ? { ...personOf(identifiers), type: action, name, properties: attributes, ...rest }
    : undefined
}

/** A person's identifiers; the vendor accepts an email address as an id. */
function personOf(identifiers: unknown): JsonObject {
  const userId = memberOf(identifiers, 'id') ?? memberOf(identifiers, 'email')
  return userId === undefined ? {} : { userId }
}

function typeOfObject(identifiers: unknown): JsonObject {
  const objectTypeId = memberOf(identifiers, 'object_type_id')
  return objectTypeId === undefined ? {} : { objectTypeId }
}

function memberOf(object: unknown, name: string): unknown {
  return isObject(object) ? object[name] : undefined
}
