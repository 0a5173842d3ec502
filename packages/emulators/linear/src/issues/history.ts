import { isObject, type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { type FieldResolver, type Resolvers, toMany } from '../engine/entity-module.ts'
import { resolverOf } from '../entities.ts'
import { findIssue, priorityLabels } from './issues.ts'
import { badArgument } from '../errors.ts'
import { inputOf, optionalObject, optionalTime } from '../engine/inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import { parseChanges } from '../store/mutations.ts'
import type { Session } from '../store/session.ts'
import { withExtras } from '../engine/fields.ts'
import { changeRow, findRow } from '../engine/crud.ts'

const maxBatch = 50

/** Runs a mutation of one issue and returns the issue. */
function issueOf(session: Session, mutation: 'issueCreate' | 'issueUpdate', args: JsonObject): JsonObject {
  const served = resolverOf('Mutation', mutation)
  const payload = served && withExtras(mutation, served)({}, args, session)
  return isObject(payload) && isObject(payload['issue']) ? payload['issue'] : {}
}

const issueBatchCreate: FieldResolver = (_, args, session) => {
  const { issues } = inputOf(args)
  const inputs: readonly unknown[] = Array.isArray(issues) ? issues : []
  if (inputs.length === 0 || inputs.length > maxBatch) throw badArgument(`issues must contain from 1 to ${maxBatch} elements.`)
  return { issues: inputs.map((input) => issueOf(session, 'issueCreate', { input })) }
}

const issueBatchUpdate: FieldResolver = (_, args, session) => {
  const ids = stringsIn(args['ids'])
  if (ids.length === 0 || ids.length > maxBatch) throw badArgument(`ids must contain from 1 to ${maxBatch} elements.`)
  return { issues: ids.map((id) => issueOf(session, 'issueUpdate', { id, input: args['input'] })) }
}

const issueReminder: FieldResolver = (_, args, session) => {
  const before = findIssue(session, stringAt(args, 'id'))
  const reminderAt = optionalTime(args, 'reminderAt', session.now)
  if (typeof reminderAt === 'string' && reminderAt <= session.at) throw badArgument('reminderAt must be in the future.')
  return { issue: changeRow(session, { type: 'Issue', before, changes: { reminderAt: reminderAt ?? null } }) }
}

const relationTypes = ['blocks', 'duplicate', 'related', 'similar']

const issueRelationUpdate: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'IssueRelation', args['id'])
  const { type, issueId, relatedIssueId } = inputOf(args)
  if (typeof type === 'string' && !relationTypes.includes(type)) throw badArgument(`type must be one of ${relationTypes.join(', ')}.`)
  const end = (reference: unknown, key: string) =>
    typeof reference === 'string' ? { [key]: stringAt(findIssue(session, reference), 'id') } : {}
  const changes = { ...(typeof type === 'string' && { type }), ...end(issueId, 'issueId'), ...end(relatedIssueId, 'relatedIssueId') }
  return { issueRelation: changeRow(session, { type: 'IssueRelation', before, changes }) }
}

const issueVcsBranchSearch: FieldResolver = (_, args, session) => {
  const identifier = /\b[a-z][a-z0-9]*-\d+/i.exec(stringAt(args, 'branchName'))?.[0].toUpperCase()
  return identifier === undefined ? null : (session.select('Issue', 'where a.identifier = :identifier', { identifier })[0] ?? null)
}

/** Columns that the history of an issue shows, with their names there. */
const shown: Readonly<Record<string, string>> = {
  title: 'Title',
  priority: 'Priority',
  estimate: 'Estimate',
  dueDate: 'DueDate',
  stateId: 'StateId',
  assigneeId: 'AssigneeId',
  projectId: 'ProjectId',
  projectMilestoneId: 'ProjectMilestoneId',
  cycleId: 'CycleId',
  parentId: 'ParentId',
  teamId: 'TeamId',
}

/** One change of an issue, in the form of the vendor's history. */
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

const history: FieldResolver = (source, args, session) => {
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
    Project: 'Project',
    ProjectMilestone: 'ProjectMilestone',
    Cycle: 'Cycle',
    Parent: 'Issue',
    Team: 'Team',
  }).flatMap(([name, type]) => ['from', 'to'].map((end) => [`${end}${name}`, historyEnd(type, `${end}${name}Id`)] as const)),
)

/** Batches, reminders, relations and the history of issues. */
export const issueOperations: readonly Resolvers[] = [
  {
    Query: {
      issuePriorityValues: () => priorityLabels.map((label, priority) => ({ priority, label })),
      issueVcsBranchSearch,
      issueSearch(_, args, session) {
        const { query, filter, ...rest } = args
        const words = typeof query === 'string' ? query.split(/\s+/).filter(Boolean) : []
        const matches = words.map((word) => ({
          or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }],
        }))
        return session.page('Issue', { ...rest, filter: { and: [...matches, optionalObject(filter)] } })
      },
    },
    Mutation: {
      issueBatchCreate,
      issueBatchUpdate,
      issueReminder,
      issueRelationUpdate,
      issueRelationDelete: (_, args, session) => ({
        entityId: session.remove('IssueRelation', stringAt(findRow(session, 'IssueRelation', args['id']), 'id'))['id'],
      }),
    },
    Issue: { history, needs: toMany('CustomerNeed', 'issueId'), documents: toMany('Document', 'issueId') },
    IssueHistory: {
      issue: (source, _, session) => session.find('Issue', source['issueId']),
      actor: (source, _, session) => session.find('User', source['actorId']),
      ...historyEnds,
    },
  },
]
