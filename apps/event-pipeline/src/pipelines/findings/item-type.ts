import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling } from '@mcp-toolkits/core/references'
import { type ItemType, itemTypes } from '../calls.ts'
import { isAbsent, plainName, unusedFields } from '../fields.ts'
import { viewOf } from './reserved-events.ts'

/** A type as written with its subject, without case and separators: `trackEvent`, `page_view`, `IdentifyUser`. */
const writtenType = /^(?:v\d)?(?:send)?(identify|track|page|screen|group|alias)(?:user|person|customer|event|view|call|identity)*$/

export function readType(value: unknown): ItemType | undefined {
  const [, type] = typeof value === 'string' ? (writtenType.exec(plainName(value)) ?? []) : []
  return itemTypes.find((each) => each === type)
}

/** Words for a call's subject, each of which may mean its type. */
const topics: Readonly<Record<ItemType, string>> = {
  track: 'event customevent',
  identify: 'user person customer profile',
  group: 'company account organization',
  alias: 'merge',
  page: 'pageview',
  screen: 'screenview',
}

/** The type that text stands for, perhaps misspelt; a guess if it is a different word rather than a misspelling. */
export function meantType(written: unknown): { readonly type: ItemType; readonly isGuess: boolean } | undefined {
  const read = readType(written) ?? itemTypes.find((each) => typeof written === 'string' && isMisspelling(written, each))
  const type = read ?? itemTypes.find((each) => typeof written === 'string' && topics[each].split(' ').includes(plainName(written)))
  return type && { type, isGuess: read === undefined }
}

/** A call that is meant for another tool. */
export interface OtherCall {
  readonly type: ItemType
  readonly call: JsonObject
  /** The field that says so: `type`, or one that only the other call has. */
  readonly field: string
}

/** Fields that only one type has, each with that type, which may be the call's own. */
const ofEvents = [['event', 'track'] as const, ['previousId', 'alias'] as const]
const ofViews = (type: 'page' | 'screen') => [type, `${type}_name`, `${type}Name`].map((name) => [name, type] as const)
const telling: Readonly<Record<ItemType, readonly (readonly [field: string, type: ItemType])[]>> = {
  ...{ identify: [...ofEvents, ['groupId', 'group']], track: ofEvents, alias: ofEvents, group: [] },
  ...{ page: ofViews('screen'), screen: ofViews('page') },
}

/** The type that an action names in a call about people: there, `identify` is the other API's word for any update. */
function otherTypeInAction(type: ItemType, action: unknown): ItemType | undefined {
  const asked = type === 'identify' || type === 'group' || type === 'alias' ? meantType(action)?.type : undefined
  return asked === type || asked === 'identify' ? undefined : asked
}

/** The other type that a call names in `type` or, without one, by a field that only the other type has. */
export function otherTypeOf(type: ItemType, { type: written, ...call }: JsonObject): OtherCall | undefined {
  const named = readType(written)
  // An event called "Page Viewed" is a view, whatever its tracker calls it.
  if (named === 'track' && new RegExp(`^${type}.?viewe?d?$`, 'i').test(String(call['event']))) return undefined
  if (named !== undefined) return named === type ? undefined : { type: named, call, field: 'type' }
  const asked = otherTypeInAction(type, call['action'])
  if (asked !== undefined) {
    const others = Object.fromEntries(Object.entries(call).filter(([name]) => name !== 'action'))
    return { type: asked, call: others, field: 'action' }
  }
  const view = type === 'track' ? viewOf(call['event']) : undefined
  if (view) return { type: view, call, field: 'event' }
  const without = type === 'track' ? withoutEvent(call) : undefined
  if (without) return without
  const [field, told] = telling[type].find(([name]) => typeof call[name] === 'string') ?? []
  if (field === undefined || told === undefined || told === type) return undefined
  if (told !== 'page' && told !== 'screen') return { type: told, call, field }
  const { [field]: name, ...others } = call
  return call['name'] === undefined ? { type: told, call: { ...others, name }, field } : undefined
}

/** The call that a person's traits or a group stand for, if nothing names an event. */
function withoutEvent(call: JsonObject): OtherCall | undefined {
  const { event, properties, groupId, traits } = call
  const isNamed = !isAbsent(event) || properties !== undefined || unusedFields('track', call).some(({ home }) => home === 'event')
  if (isNamed || ['userId', 'anonymousId'].every((name) => isAbsent(call[name]))) return undefined
  if (typeof groupId === 'string') return { type: 'group', call, field: 'groupId' }
  return isObject(traits) ? { type: 'identify', call, field: 'traits' } : undefined
}
