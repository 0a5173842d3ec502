import { member, parseJson } from '../../packages/core/src/base/json.ts'
import type { Call } from '../../packages/testing/src/cluster/client.ts'

/** Numbered events about a hundred people. */
export function numberedEvents(first: number, count: number): readonly Call[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index
    const body = JSON.stringify({ userId: `person${number % 100}`, event: 'Step', properties: { number } })
    return { name: 'EventPipelineApi_TrackUserEvent', args: { mode: 'execute', request_body: body } }
  })
}

/** Counts how often the vendor carried out each event, by its number. */
export function countByNumber(bodies: readonly string[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const body of bodies) {
    const content = parseJson(body)
    const batch = member(content, 'batch')
    for (const call of Array.isArray(batch) ? batch : [content]) {
      const number = Number(member(member(call, 'properties'), 'number'))
      counts.set(number, (counts.get(number) ?? 0) + 1)
    }
  }
  return counts
}
