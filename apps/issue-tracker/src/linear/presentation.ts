/** Linear's priorities by number. https://linear.app/developers/graphql */
export const priorities = ['no_priority', 'urgent', 'high', 'medium', 'low'] as const
export type Priority = (typeof priorities)[number]

/**
 * Linear's records as tools show them: names in snake_case, connections as plain lists beside a `has_more_<name>`, priorities in
 * words. Everything else is as it came.
 */
export function presented(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(presented)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => field(snakeCase(key), member)))
}

function field(name: string, value: unknown): [string, unknown][] {
  if (name === 'priority' && typeof value === 'number') return [[name, priorities[value] ?? 'no_priority']]
  if (!isRecord(value) || !Array.isArray(value['nodes'])) return [[name, presented(value)]]
  const { pageInfo } = value
  const list: [string, unknown] = [name, presented(value['nodes'])]
  if (!isRecord(pageInfo)) return [list]
  const end: [string, unknown][] = 'endCursor' in pageInfo ? [[`${name}_end_cursor`, pageInfo['endCursor']]] : []
  return [list, [`has_more_${name}`, pageInfo['hasNextPage']], ...end]
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
