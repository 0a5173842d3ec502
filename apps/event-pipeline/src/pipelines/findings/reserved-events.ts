import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import type { ItemType } from '../calls.ts'
import { type Finding, misdirected, remark } from './finding.ts'

/** Finds fields without which a reserved event has no effect. */
export function semanticEvent(call: JsonObject): Finding[] {
  const event = String(call['event'])
  const reserved = misspeltReserved(event)
  // A command, or a name that only other trackers have: the caller wants its effect. Names in the past tense are common for ordinary
  // events.
  const isCommand = event.startsWith('$') || /^(?:delete|remove|erase|suppress|unsuppress)(?![a-z])/i.test(event)
  if (reserved !== undefined) return [(isCommand ? misdirected : remark)('event', `is an ordinary event: ${reserved}`)]
  const missing = semanticEventOf(call)?.needs.filter((path) => valueAt(call, path) === undefined) ?? []
  return missing.map((at) => remark(at, `is needed by the reserved event ${quote(String(call['event']))}.`))
}

/** A reserved event name, which makes the vendor do more than record the event. https://docs.customer.io/api/cdp/#section/Semantic-events */
interface SemanticEvent {
  /** Paths of the fields without which the event has no effect. */
  readonly needs: readonly string[]
  /** The destructive effect, completing "a reserved event that …". */
  readonly destroys?: string
}

const semanticEvents: Readonly<Record<string, SemanticEvent>> = {
  'Device Created or Updated': { needs: ['userId', 'context.device.token'] },
  'Device Deleted': { needs: ['userId', 'context.device.token'], destroys: 'removes the device' },
  'User Deleted': { needs: ['userId'], destroys: 'deletes the person' },
  'User Suppressed': { needs: ['userId'], destroys: 'deletes the person and blocks adding them again' },
  'User Unsuppressed': { needs: ['userId'] },
  'Relationship Deleted': { needs: ['userId', 'properties.objectId'], destroys: "removes the person's relationship to the object" },
  'Object Deleted': { needs: ['anonymousId', 'properties.objectId'], destroys: 'deletes the object' },
  'Report Delivery Event': { needs: ['properties.deliveryId', 'properties.metric'] },
  'Report Content Event': { needs: ['properties.actionType', 'properties.contentId'] },
}

/** Names that other event trackers reserve, with the type of call that has their effect here. */
const foreignEvents: Readonly<Record<string, ItemType>> = {
  ...{
    $identify: 'identify',
    $set: 'identify',
    $groupidentify: 'group',
    $create_alias: 'alias',
    $merge: 'alias',
    $merge_dangerously: 'alias',
  },
  ...{ $pageview: 'page', $mp_web_page_view: 'page', page_view: 'page', $screen: 'screen', screen_view: 'screen' },
}

/** The kind of view that an event records in other trackers. */
export const viewOf = (event: unknown) => (['page', 'screen'] as const).find((type) => effectOf(event) === type)
/** The type of call with the effect that an event has in other trackers. */
export const effectOf = (event: unknown) => (Object.hasOwn(foreignEvents, String(event)) ? foreignEvents[String(event)] : undefined)

/** The reserved name that a different name resembles. */
export function reservedNameFor(event: string): string | undefined {
  const meant = Object.keys(semanticEvents).find((name) => wordsOf(name) === wordsOf(event))
  return meant === event ? undefined : meant
}

/** The advice on a name that only resembles a reserved one, as in "delete_customer"; undefined for other names. */
function misspeltReserved(event: string): string | undefined {
  const type = effectOf(event)
  if (type !== undefined) return `for the effect that it has elsewhere, send a call of type ${type}.`
  const meant = reservedNameFor(event)
  if (meant === undefined) return undefined
  return `only ${quote(meant)} ${semanticEvents[meant]?.destroys ?? 'has an effect'}.`
}

/** Normalizes the words of an event's name, so that order, endings and synonyms do not matter. */
function wordsOf(name: string): string {
  const words =
    name
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const stems = words.map((word) => sameWords.find(([pattern]) => pattern.test(word))?.[1] ?? word)
  return [...new Set(stems)]
    .filter((word) => word !== 'or')
    .toSorted()
    .join(' ')
}

const sameWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:delet|remov|eras)/, 'delete'],
  [/^(?:user|person|customer|profile|contact|people)s?$/, 'user'],
  [/^suppress/, 'suppress'],
  [/^unsuppress/, 'unsuppress'],
  [/^(?:creat|updat|add|regist)/, 'create'],
]

function semanticEventOf(call: JsonObject): SemanticEvent | undefined {
  const { event } = call
  return typeof event === 'string' && Object.hasOwn(semanticEvents, event) ? semanticEvents[event] : undefined
}

/** A finding on what a call in a batch destroys; undefined for most. */
export function destructionBy(call: JsonObject): Finding | undefined {
  const destroys = call['type'] === 'track' ? semanticEventOf(call)?.destroys : undefined
  return destroys === undefined ? undefined : remark('', `${quote(String(call['event']))} is a reserved event that ${destroys}.`)
}

function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), call)
}
