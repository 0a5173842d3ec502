import { note, type Finding, type JsonObject } from './checks.ts'
import { isPresent, valueAt } from './field-path.ts'

interface SemanticEvent {
  readonly effect: string
  readonly needs: readonly string[]
}

/** Event names that make the vendor act instead of recording an event: events.md §1.5. The emulator only points them out. */
const semanticEvents = new Map<unknown, SemanticEvent>([
  ['Device Created or Updated', { effect: 'adds or updates a device', needs: ['userId', 'context.device.token'] }],
  ['Device Deleted', { effect: 'removes a device', needs: ['userId', 'context.device.token'] }],
  ['User Deleted', { effect: 'deletes a person', needs: ['userId'] }],
  ['User Suppressed', { effect: 'deletes a person and blocks adding them again', needs: ['userId'] }],
  ['User Unsuppressed', { effect: 'lifts the block on a person', needs: ['userId'] }],
  ['Relationship Deleted', { effect: 'removes the tie between a person and an object', needs: ['userId', 'properties.objectId'] }],
  ['Object Deleted', { effect: 'deletes an object', needs: ['anonymousId', 'properties.objectId'] }],
  ['Report Delivery Event', { effect: 'changes the metrics of a message', needs: ['properties.deliveryId', 'properties.metric'] }],
  ['Report Content Event', { effect: 'changes anonymous in-app metrics', needs: ['properties.actionType', 'properties.contentId'] }],
])

/** What a `track` call would make the vendor do, beyond recording an event. */
export const semanticEffect = (call: JsonObject): string | undefined => semanticEvents.get(valueAt(call, 'event'))?.effect

/** Notes on what a semantic event lacks. */
export function semanticFindings(call: JsonObject): readonly Finding[] {
  const { needs = [] } = semanticEvents.get(valueAt(call, 'event')) ?? {}
  return needs.filter((path) => !isPresent(call, path)).flatMap((path) => note(`this semantic event needs ${path} to have its effect`))
}
