import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { words } from '@mcp-toolkits/core/tool'
import type { ItemType } from '../calls.ts'
import { isAbsent, plainName } from '../fields.ts'

/* People and groups as nested objects, as Intercom, Pendo and FullStory write them: `"user": {"uid": "u1"}, "company": {"company_id": "acme"}`. */

const people = words('user person customer profile contact visitor subscriber member')
const groups = words('company account organization organisation org workspace tenant group')
const idsOf = (names: readonly string[]) => ['id', 'uid', 'externalid', 'key', ...names.map((name) => `${name}id`)]
const personIds = [...idsOf(people), 'distinctid']
const groupIds = idsOf(groups)

interface Party {
  readonly name: string
  readonly key: string
  readonly id: string
  readonly traits: JsonObject
}

/** The only object with one of these names, if it has exactly one id. */
function partyIn(body: JsonObject, names: readonly string[], ids: readonly string[]): Party | undefined {
  const [found, ...others] = Object.entries(body).flatMap(([name, held]) => {
    if (!names.includes(plainName(name)) || !isObject(held)) return []
    const [[key, id] = ['', undefined], ...more] = Object.entries(held).filter(([each]) => ids.includes(plainName(each)))
    if (more.length > 0 || (typeof id !== 'string' && typeof id !== 'number') || id === '') return []
    return [{ name, key, id: String(id), traits: Object.fromEntries(Object.entries(held).filter(([each]) => each !== key)) }]
  })
  return others.length === 0 ? found : undefined
}

/**
 * The calls meant by a body that holds a person, and perhaps a group, as an object: its own call, and calls that set the object's other
 * fields. Undefined if the body has such ids itself, or if all it would take out is a plain "id".
 */
export function fromParties(type: ItemType | undefined, body: JsonObject): readonly JsonObject[] | undefined {
  const [person, group] = [partyIn(body, people, personIds), partyIn(body, groups, groupIds)]
  const has = (...names: readonly string[]) => names.some((name) => !isAbsent(body[name]))
  const isOther = !isAbsent(body['type']) && body['type'] !== type
  const taken = ['traits', person?.name, group?.name]
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !taken.includes(name)))
  const { traits } = body
  if (type === undefined || type === 'alias' || isOther || has('groupId', 'previousId') || (traits !== undefined && !isObject(traits)))
    return undefined
  if (!person && type === 'group' && group && group.key !== 'id')
    return [{ groupId: group.id, ...rest, type, traits: { ...group.traits, ...traits } }]
  const hasTraits = (party: Party | undefined) => party !== undefined && Object.keys(party.traits).length > 0
  // A visitor alone may be anonymous.
  const isPlain = !group && (person?.key === 'id' ? type === 'identify' || !hasTraits(person) : person?.name === 'visitor')
  if (!person || isPlain || has('userId', 'user_id', 'anonymousId')) return undefined
  const userId = person.id
  const identify = (more?: JsonObject) => ({ type: 'identify', userId, traits: { ...person.traits, ...more } })
  const grouped = (each: Party, more?: JsonObject) => ({ type: 'group', userId, groupId: each.id, traits: { ...each.traits, ...more } })
  if (type === 'identify') return [{ ...rest, ...identify(traits) }, ...(group ? [grouped(group)] : [])]
  if (type === 'group') return group && [{ ...rest, ...grouped(group, traits) }, ...(hasTraits(person) ? [identify()] : [])]
  const own = { userId, ...(type === 'track' && group && { groupId: group.id }), ...rest, type, ...(traits && { traits }) }
  return [own, ...(hasTraits(person) ? [identify()] : []), ...(group && (type !== 'track' || hasTraits(group)) ? [grouped(group)] : [])]
}
