import { numberAt, stringAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity, findRow } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { inputOf } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { progressOf, scopeHistories } from '../projects/progress.ts'
import { columnsOf, type Entity, type EntityType, flagFilter, manyFilter, type SqlExpression } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

const isPast: SqlExpression = (alias, { now }) => `(${alias}.endsAt <= ${now()} or ${alias}.completedAt is not null)`
const isFuture: SqlExpression = (alias, { now }) => `(${alias}.startsAt > ${now()})`
const isActive: SqlExpression = (alias, { now }) =>
  `(${alias}.startsAt <= ${now()} and ${alias}.endsAt > ${now()} and ${alias}.completedAt is null)`

/** Condition that a cycle is the first in its team with this property, in this order. */
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
  columns: columnsOf('number: real, name?, description?, startsAt, endsAt, completedAt?, teamId'),
  indexes: ['teamId, startsAt'],
  searched: ['name'],
  filters: {
    issues: manyFilter('Issue', 'cycleId'),
    ...Object.fromEntries(Object.entries(flags).map(([name, sql]) => [name, flagFilter(sql)])),
  },
}

/** True if the cycle has the computed flag. */
function hasFlag(name: string, row: Entity, session: Session): boolean {
  const page = session.page('Cycle', { filter: { id: { eq: row.id }, [name]: { eq: true } }, includeArchived: true })
  return page.nodes.length > 0
}

/** A team's active cycle. */
export const activeCycle = (session: Session, teamId: string): Entity | null =>
  session.page('Cycle', { filter: { team: { id: { eq: teamId } }, isActive: { eq: true } }, first: 1 }).nodes[0] ?? null

const hooks: CrudHooks = {
  defaults: (session, { teamId }) => ({
    number:
      1 +
      Math.max(0, ...session.select('Cycle', 'where a.teamId = :teamId', { teamId: String(teamId) }).map(({ number }) => Number(number))),
  }),
  check(session, values, before) {
    const [startsAt, endsAt] = [values['startsAt'] ?? before?.['startsAt'], values['endsAt'] ?? before?.['endsAt']]
    if (String(startsAt) >= String(endsAt)) throw badArgument('endsAt must be after startsAt.')
    const where = 'a.teamId = :teamId and a.id <> :id and a.archivedAt is null and a.startsAt < :endsAt and a.endsAt > :startsAt'
    const own = { teamId: String(values['teamId'] ?? before?.['teamId'] ?? ''), id: before ? before.id : '' }
    if (session.count('Cycle', where, { ...own, startsAt: String(startsAt), endsAt: String(endsAt) }) > 0)
      throw badArgument('Cycles of a team must not overlap.')
    return undefined
  },
  beforeRemoval({ store }, row) {
    store.run('update issues set cycleId = null where cycleId = :id', { id: row.id })
  },
}

/** Starts the next cycle at midnight, and completes the one before it. */
const startCycle: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Cycle', args['id'])
  const midnight = `${session.at.slice(0, 10)}T00:00:00.000Z`
  const team = { teamId: stringAt(row, 'teamId'), now: session.at }
  const later = 'where a.teamId = :teamId and a.startsAt > :now and a.archivedAt is null order by a.startsAt limit 1'
  const [next] = session.select('Cycle', later, team)
  if (next?.id !== row.id) throw badArgument('Only the next upcoming cycle of a team can be started.')
  const where = 'where a.teamId = :teamId and a.startsAt <= :now and a.endsAt > :now and a.completedAt is null and a.archivedAt is null'
  for (const running of session.select('Cycle', where, team))
    session.update('Cycle', running.id, { endsAt: midnight, completedAt: session.at })
  return { cycle: session.update('Cycle', row.id, { startsAt: midnight }) }
}

/** A century: much larger shifts would give invalid dates. */
const maxShiftDays = 36_500

/** Shifts a cycle, and all later cycles of its team, by some days. */
const shiftCycles: FieldResolver = (_, args, session) => {
  const { id, ...input } = inputOf(args)
  const first = findRow(session, 'Cycle', id)
  const days = numberAt(input, 'daysToShift')
  if (Math.abs(days) > maxShiftDays) throw badArgument(`daysToShift must be from -${maxShiftDays} to ${maxShiftDays}.`)
  const shifted = (time: string) => new Date(Date.parse(time) + days * 86_400_000).toISOString()
  const where = { teamId: stringAt(first, 'teamId'), from: stringAt(first, 'startsAt') }
  for (const each of session.select('Cycle', 'where a.teamId = :teamId and a.startsAt >= :from and a.archivedAt is null', where))
    session.update('Cycle', each.id, {
      startsAt: shifted(stringAt(each, 'startsAt')),
      endsAt: shifted(stringAt(each, 'endsAt')),
    })
  return { cycle: session.get('Cycle', first.id) }
}

export const cycles = entity(cycle, {
  ...hooks,
  fields: {
    ...Object.fromEntries(
      Object.keys(flags).map((name): [string, FieldResolver] => [
        name,
        (source, _, session) => hasFlag(name, session.get('Cycle', stringAt(source, 'id')), session),
      ]),
    ),
    progress: progressOf('cycleId'),
    ...scopeHistories('cycleId'),
  },
  mutations: { cycleStartUpcomingCycleToday: startCycle, cycleShiftAll: shiftCycles },
})
