import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { capitalize } from '../engine/records.ts'
import type { Entity, EntityType } from '../store/entity-type.ts'
import { parseChanges } from '../store/mutations.ts'

/** The history of issues, derived from recorded mutations. Ids are derived from the mutations' numbers. */
const historyType: EntityType = {
  type: 'IssueHistory',
  table: `(select printf('%08x-0000-4000-8000-%012x', m.id, m.id) as id, m.at as createdAt, m.at as updatedAt, null as archivedAt,
    m.subject as issueId, m.viewer as actorId, m.changes from mutations m where m.entity = m.subject and m.changes is not null and m.changes <> '{}')`,
  columns: { issueId: 'text', actorId: 'text?', changes: 'text?' },
}

/** One change to an issue, as an entry in the vendor's format. */
function historyEntry(row: Entity): JsonObject {
  const json = row['changes']
  const changes = Object.entries(parseChanges(typeof json === 'string' ? json : null))
  const ends = changes.flatMap(([column, change]) =>
    change === 'long' ? [] : [[`from${capitalize(column)}`, change[0]] as const, [`to${capitalize(column)}`, change[1]] as const],
  )
  const archived = changes.find(([column]) => column === 'archivedAt')?.[1]
  return {
    ...row,
    ...Object.fromEntries(ends),
    ...(changes.some(([column]) => column === 'description') && { updatedDescription: true }),
    ...(Array.isArray(archived) && { archived: archived[1] !== null }),
    changes: null,
  }
}

/** An issue's history. */
export const history: FieldResolver = (source, args, session) => {
  const page = session.page('IssueHistory', args, { where: 'a.issueId = :owner', values: { owner: stringAt(source, 'id') } })
  return {
    ...page,
    nodes: page.nodes.map(historyEntry),
    edges: () => page.edges().map(({ cursor, node }) => ({ cursor, node: historyEntry(node) })),
  }
}

export const histories: EntityModule = { entityTypes: [historyType], resolvers: {} }
