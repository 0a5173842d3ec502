import { isObject, type CallName, type JsonObject } from '../pipelines/call.ts'

/**
 * Whom a request is about: the ids in its calls, both of an alias. A call about nobody keeps its place among those of its own path.
 * Entries that share a person are sent in their order.
 */
export function personsIn(name: CallName, json: JsonObject): string[] {
  const batch: unknown = json['batch']
  const calls: unknown[] = name === 'batch' && Array.isArray(batch) ? batch : [json]
  return calls.flatMap((call) => (isObject(call) ? personsOf(call) : [])).concat(calls.length === 0 ? [`/${name}`] : [])
}

function personsOf(call: JsonObject): string[] {
  const ids = ['userId', 'anonymousId', 'previousId'].flatMap((field) => {
    const id = call[field]
    return typeof id === 'string' || typeof id === 'number' ? [`${id}`] : []
  })
  return ids.length > 0 ? ids : ['/nobody']
}
