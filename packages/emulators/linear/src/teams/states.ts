import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity } from '../engine/crud.ts'
import { badArgument } from '../errors.ts'
import { columnsOf, type Entity, type EntityType, manyFilter } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

const state: EntityType = {
  type: 'WorkflowState',
  table: 'workflowStates',
  columns: columnsOf('name, type, position: real, color, description?, teamId'),
  indexes: ['teamId'],
  searched: ['name', 'description'],
  filters: { issues: manyFilter('Issue', 'stateId') },
}

const lastState = (session: Session, row: Entity) =>
  session.count('WorkflowState', 'a.teamId = :teamId and a.type = :type and a.archivedAt is null and a.id <> :id', {
    teamId: stringAt(row, 'teamId'),
    type: stringAt(row, 'type'),
    id: row.id,
  }) === 0

const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

const workflowState: CrudHooks = {
  defaults: (session, { teamId }) => ({ position: session.count('WorkflowState', 'a.teamId = :teamId', { teamId: String(teamId) }) }),
  check(session, values, before) {
    const { type, name } = values
    if (typeof type === 'string' && !stateTypes.includes(type)) throw badArgument(`type must be one of ${stateTypes.join(', ')}.`)
    const where = {
      teamId: String(values['teamId'] ?? before?.['teamId'] ?? ''),
      name: String(name ?? ''),
      id: stringOrNullAt(before ?? {}, 'id') ?? '',
    }
    const others = 'a.teamId = :teamId and lower(a.name) = lower(:name) and a.id <> :id and a.archivedAt is null'
    if (session.count('WorkflowState', others, where) > 0)
      throw badArgument(`A state with the name ${where.name} already exists in the team.`)
    return undefined
  },
  beforeRemoval(session, row) {
    if (session.count('Issue', 'a.stateId = :id and a.archivedAt is null', { id: row.id }) > 0)
      throw badArgument('The state has issues; move them to another state first.')
    if (lastState(session, row)) throw badArgument(`The team needs a state of the type ${stringAt(row, 'type')}.`)
  },
}

export const workflowStates = entity(state, workflowState)
