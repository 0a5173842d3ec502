import type { CallName, JsonObject } from '../pipelines/call.ts'

/** Whom a call is about; undefined for a batch or a call without an id, which keep their place among all others. */
export function personOf(name: CallName, json: JsonObject): string | undefined {
  if (name === 'batch' || name === 'alias') return undefined
  const id = json['userId'] ?? json['anonymousId']
  return typeof id === 'string' || typeof id === 'number' ? `${id}` : undefined
}
