import { isObject, type CallName, type JsonObject } from './call.ts'
import type { Finding } from './finding.ts'

/** A track call with a reserved name does more than record an event. https://docs.customer.io/api/cdp/#section/Semantic-events */
interface SemanticEvent {
  /** What it needs, as paths. */
  readonly needs: readonly string[]
  /** What it destroys, for the sentence "… deletes the person." */
  readonly destroys?: string
}

const semanticEvents: Readonly<Record<string, SemanticEvent>> = {
  'Device Created or Updated': { needs: ['userId', 'context.device.token'] },
  'Device Deleted': { needs: ['userId', 'context.device.token'], destroys: 'removes the device' },
  'User Deleted': { needs: ['userId'], destroys: 'deletes the person' },
  'User Suppressed': { needs: ['userId'], destroys: 'deletes the person and blocks adding them again' },
  'User Unsuppressed': { needs: ['userId'] },
  'Relationship Deleted': { needs: ['userId', 'properties.objectId'], destroys: 'removes the tie between person and object' },
  'Object Deleted': { needs: ['anonymousId', 'properties.objectId'], destroys: 'deletes the object' },
  'Report Delivery Event': { needs: ['properties.deliveryId', 'properties.metric'] },
  'Report Content Event': { needs: ['properties.actionType', 'properties.contentId'] },
}

function semanticEventOf(call: JsonObject): SemanticEvent | undefined {
  const { event } = call
  return typeof event === 'string' && Object.hasOwn(semanticEvents, event) ? semanticEvents[event] : undefined
}

/** What a reserved event lacks to have its effect. */
export function semanticFindings(call: JsonObject): Finding[] {
  const missing = (semanticEventOf(call)?.needs ?? []).filter((path) => valueAt(call, path) === undefined)
  return missing.map((at) => ({ at, problem: `is needed by the reserved event "${String(call['event'])}".` }))
}

/** One sentence for each event in a body that destroys something, so that nobody does it unaware. */
export function destructionNotices(name: CallName, json: JsonObject): string[] {
  const calls: unknown[] = name === 'batch' && Array.isArray(json['batch']) ? json['batch'] : [json]
  return calls.flatMap((call, index) => {
    if (!isObject(call) || (name === 'batch' ? call['type'] !== 'track' : name !== 'track')) return []
    const destroys = semanticEventOf(call)?.destroys
    const where = name === 'batch' ? `batch[${index}]: ` : ''
    return destroys === undefined ? [] : [`${where}"${String(call['event'])}" is a reserved event that ${destroys}.`]
  })
}

function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), call)
}
