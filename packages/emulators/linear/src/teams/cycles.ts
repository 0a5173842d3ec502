import { type EntityModule, getById, listAll, toMany, toOne } from '../engine/entity-module.ts'
import {
  commonFilters,
  computedFilter,
  manyFilter,
  oneFilter,
  valueFilter,
  type SqlExpression,
  type EntityType,
  type EntityRow,
} from '../store/entity-type.ts'
import { progressOf, scopeHistories } from '../projects/milestones.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import type { Session } from '../store/session.ts'
import { stringAt } from '@mcp-toolkits/emulator'

const isPast: SqlExpression = (alias, { now }) => `(${alias}.endsAt <= ${now()} or ${alias}.completedAt is not null)`
const isFuture: SqlExpression = (alias, { now }) => `(${alias}.startsAt > ${now()})`
const isActive: SqlExpression = (alias, { now }) =>
  `(${alias}.startsAt <= ${now()} and ${alias}.endsAt > ${now()} and ${alias}.completedAt is null)`

/** The first cycle of the same team, in this order, with this property. */
const nearest =
  (property: SqlExpression, order: string): SqlExpression =>
  (alias, parameters) =>
    `(${alias}.id = (select n.id from cycles n where n.teamId = ${alias}.teamId and n.archivedAt is null and ${property('n', parameters)} order by n.${order} limit 1))`

const flags: Readonly<Record<string, SqlExpression>> = {
  isActive,
  isPast,
  isFuture,
  isNext: nearest(isFuture, 'startsAt'),
  isPrevious: nearest(isPast, 'startsAt desc'),
}

const cycle: EntityType = {
  type: 'Cycle',
  table: 'cycles',
  columns: { number: 'real', name: 'text?', description: 'text?', startsAt: 'text', endsAt: 'text', completedAt: 'text?', teamId: 'text' },
  indexes: ['teamId, startsAt'],
  filters: {
    ...commonFilters,
    number: valueFilter('number'),
    name: valueFilter('words', 'StringComparator'),
    startsAt: valueFilter('time'),
    endsAt: valueFilter('time'),
    completedAt: valueFilter('time', 'DateComparator'),
    team: oneFilter('Team', 'teamId'),
    issues: manyFilter('Issue', (alias, other) => `${other}.cycleId = ${alias}.id`),
    ...Object.fromEntries(Object.entries(flags).map(([name, sql]) => [name, computedFilter('flag', sql)])),
  },
}

/** True if the cycle has the computed flag. */
function hasFlag(name: string, row: EntityRow, session: Session): boolean {
  const page = session.page('Cycle', { filter: { id: { eq: row['id'] }, [name]: { eq: true } }, includeArchived: true })
  return page.nodes.length > 0
}

/** The active cycle of a team. */
export const activeCycle = (session: Session, teamId: string): EntityRow | null =>
  session.page('Cycle', { filter: { team: { id: { eq: teamId } }, isActive: { eq: true } }, first: 1 }).nodes[0] ?? null

/** Cycles of teams. */
export const cycles: EntityModule = {
  entityTypes: [cycle],
  sdl: `
type Cycle implements Node {
  id: ID!  number: Float!  name: String  startsAt: DateTime!  endsAt: DateTime!  isActive: Boolean!  isNext: Boolean!
  isPast: Boolean!  completedAt: DateTime  description: String  progress: Float!  isFuture: Boolean!
  isPrevious: Boolean!  createdAt: DateTime!  updatedAt: DateTime!  archivedAt: DateTime  scopeHistory: [Float!]!
  completedScopeHistory: [Float!]!  issueCountHistory: [Float!]!  completedIssueCountHistory: [Float!]!  team: Team!
  inProgressScopeHistory: [Float!]!  inheritedFrom: Cycle  autoArchivedAt: DateTime
  issues(filter: IssueFilter, ${page}): IssueConnection!
}
${connection('Cycle')}
${filterTypes(cycle, { nullable: true })}
extend type Query {
  cycle(id: String!): Cycle!
  cycles(filter: CycleFilter, ${page}): CycleConnection!
}`,
  resolvers: {
    Cycle: {
      ...Object.fromEntries(
        Object.keys(flags).map(
          (name) => [name, (source, _, session) => hasFlag(name, session.get('Cycle', stringAt(source, 'id')), session)] as const,
        ),
      ),
      team: toOne('Team', 'teamId'),
      progress: progressOf('cycleId'),
      ...scopeHistories('cycleId'),
      issues: toMany('Issue', 'cycleId'),
    },
    Query: { cycle: getById('Cycle'), cycles: listAll('Cycle') },
  },
}
