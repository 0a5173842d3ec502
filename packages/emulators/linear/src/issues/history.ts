import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { type EntityRow, type EntityType } from '../store/entity-type.ts'
import { parseChanges } from '../store/mutations.ts'

/** The history of issues, derived from recorded mutations. Ids follow from the mutations' numbers. */
const historyType: EntityType = {
  type: 'IssueHistory',
  table: `(select printf('%08x-0000-4000-8000-%012x', m.id, m.id) as id, m.at as createdAt, m.at as updatedAt, null as archivedAt,
    m.subject as issueId, m.viewer as actorId, m.changes from mutations m where m.entity = m.subject and m.changes is not null and m.changes <> '{}')`,
  columns: { issueId: 'text', actorId: 'text?', changes: 'text?' },
}

/** Columns shown in an issue's history, with their names there. */
const shown: Readonly<Record<string, string>> = {
  title: 'Title',
  priority: 'Priority',
  estimate: 'Estimate',
  dueDate: 'DueDate',
  stateId: 'StateId',
  assigneeId: 'AssigneeId',
  delegateId: 'DelegateId',
  projectId: 'ProjectId',
  projectMilestoneId: 'ProjectMilestoneId',
  cycleId: 'CycleId',
  parentId: 'ParentId',
  teamId: 'TeamId',
}

/** One change to an issue, in the form of the vendor's history. */
function historyEntry(row: EntityRow): JsonObject {
  const json = row['changes']
  const changes = Object.entries(parseChanges(typeof json === 'string' ? json : null))
  const ends = changes.flatMap(([column, change]) => {
    const name = shown[column]
    return name === undefined || change === 'long' ? [] : [[`from${name}`, change[0]] as const, [`to${name}`, change[1]] as const]
  })
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

const historyEnd =
  (type: string, key: string): FieldResolver =>
  (source, _, session) =>
    session.find(type, source[key])

const historyEnds = Object.fromEntries(
  Object.entries({
    State: 'WorkflowState',
    Assignee: 'User',
    Delegate: 'User',
    Project: 'Project',
    ProjectMilestone: 'ProjectMilestone',
    Cycle: 'Cycle',
    Parent: 'Issue',
    Team: 'Team',
  }).flatMap(([name, type]) => ['from', 'to'].map((end) => [`${end}${name}`, historyEnd(type, `${end}${name}Id`)] as const)),
)

/** Entries in issues' histories. */
export const histories: EntityModule = {
  entityTypes: [historyType],
  resolvers: { IssueHistory: historyEnds },
}
