import { type JsonObject, parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../../entities/entity-module.ts'
import { badArgument, forbidden } from '../../errors.ts'
import { idOf } from '../../ids.ts'
import { inputOf, requiredEntity } from '../../inputs.ts'
import type { EntityRow } from '../../store/entity-type.ts'
import type { Session } from '../../store/session.ts'
import { changeRow, findRow, type Kind, operationsOf } from './kinds.ts'

/** Some mutations of a kind, where the servers have the others. */
const only = ({ Mutation = {} }: Resolvers, ...names: readonly string[]): Resolvers => ({
  Mutation: Object.fromEntries(Object.entries(Mutation).filter(([name]) => names.includes(name))),
})

/** Status updates, which only their authors change. */
const statusUpdate: Kind = {
  check(session, values, before) {
    if (before !== undefined && before['userId'] !== session.viewerId) throw forbidden('You can only change your own updates.')
    return before === undefined ? { health: values['health'] ?? 'onTrack' } : { editedAt: session.at }
  },
}

const milestone: Kind = {
  defaults: (session, { projectId }) => ({
    sortOrder: session.count('ProjectMilestone', 'a.projectId = :projectId', { projectId: String(projectId) }),
  }),
  beforeRemoval({ store }, row) {
    store.run('update issues set projectMilestoneId = null where projectMilestoneId = :id', { id: stringAt(row, 'id') })
  },
}

const status: Kind = {
  defaults: () => ({ indefinite: false }),
  beforeRemoval(session, row) {
    if (session.count('Project', 'a.statusId = :id and a.archivedAt is null', { id: stringAt(row, 'id') }) > 0)
      throw badArgument('The status has projects; move them to another status first.')
    const others = 'a.type = :type and a.id <> :id and a.archivedAt is null'
    if (session.count('ProjectStatus', others, { type: stringAt(row, 'type'), id: stringAt(row, 'id') }) === 0)
      throw badArgument(`It is the last status of the type ${stringAt(row, 'type')}.`)
  },
}

/** A place in an order, which inputs give as a number and entities have as a text. */
const ordered: Kind = {
  check: (_session, { sortOrder }) => (typeof sortOrder === 'number' ? { sortOrder: String(sortOrder) } : undefined),
}

const milestoneMove: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'ProjectMilestone', args['id'])
  const projectId = stringAt(requiredEntity(session, 'Project', inputOf(args)['projectId'], 'projectId'), 'id')
  const id = stringAt(before, 'id')
  session.store.run('update issues set projectId = :projectId where projectMilestoneId = :id', { projectId, id })
  return { projectMilestone: changeRow(session, { type: 'ProjectMilestone', before, changes: { projectId } }) }
}

/** The two ends of a relation, which must differ. */
const relation = (end: string, other: string): Kind => ({
  check(_session, values, before) {
    if ((values[end] ?? before?.[end]) === (values[other] ?? before?.[other]))
      throw badArgument(`${other} must be another one than ${end}.`)
    return undefined
  },
})

const inverse =
  (type: string, key: string): FieldResolver =>
  (source, args, session) =>
    session.page(type, args, { where: `a.${key} = :owner`, values: { owner: stringAt(source, 'id') } })

const moveStatus: FieldResolver = (_, args, session) => {
  const from = stringAt(findRow(session, 'ProjectStatus', args['originalProjectStatusId']), 'id')
  const statusId = stringAt(findRow(session, 'ProjectStatus', args['newProjectStatusId']), 'id')
  for (const project of session.select('Project', 'where a.statusId = :from', { from }))
    session.update('Project', stringAt(project, 'id'), { statusId })
  return {}
}

/** The newest update of a project or initiative. */
const lastUpdate =
  (type: string, key: string): FieldResolver =>
  (source, _, session) =>
    session.select(type, `where a.${key} = :id and a.archivedAt is null order by a.createdAt desc limit 1`, {
      id: stringAt(source, 'id'),
    })[0] ?? null

const initiativeDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Initiative', args['id'])
  session.update('Initiative', stringAt(row, 'id'), { archivedAt: session.at, trashed: true })
  return { entityId: row['id'] }
}

const customers = operationsOf('Customer', { defaults: (session) => ({ statusId: firstStatus(session) }) })

/** The values of a list that a customer has. */
const listIn = (row: EntityRow, key: string): readonly string[] => stringsIn(parseJson(String(row[key] ?? '[]')))

/** Finds a customer by its id, an external id, its Slack channel or one of its domains. */
function matchingCustomer(session: Session, { id, externalId, slackChannelId, domains = [] }: JsonObject): EntityRow | undefined {
  const wanted = stringsIn(domains)
  return session
    .select('Customer', 'where a.archivedAt is null')
    .find(
      (each) =>
        each['id'] === id ||
        (typeof externalId === 'string' && listIn(each, 'externalIds').includes(externalId)) ||
        (typeof slackChannelId === 'string' && each['slackChannelId'] === slackChannelId) ||
        listIn(each, 'domains').some((domain) => wanted.includes(domain)),
    )
}

const customerUpsert: FieldResolver = (_, args, session) => {
  const given = inputOf(args)
  const { externalId, id, ...input } = given
  const existing = matchingCustomer(session, given)
  const externalIds = [
    ...new Set([...(existing ? listIn(existing, 'externalIds') : []), ...(typeof externalId === 'string' ? [externalId] : [])]),
  ]
  const { customerCreate, customerUpdate } = customers['Mutation'] ?? {}
  if (existing !== undefined) return customerUpdate?.({}, { id: existing['id'], input: { ...input, externalIds } }, session)
  return customerCreate?.({}, { input: { ...input, externalIds, ...(id !== undefined && { id }) } }, session)
}

/** Moves the needs, domains and external ids of a customer to another one, and archives it. */
const customerMerge: FieldResolver = (_, args, session) => {
  const [from, to] = [findRow(session, 'Customer', args['sourceCustomerId']), findRow(session, 'Customer', args['targetCustomerId'])]
  const [source, target] = [stringAt(from, 'id'), stringAt(to, 'id')]
  if (source === target) throw badArgument('targetCustomerId must be another customer.')
  for (const need of session.select('CustomerNeed', 'where a.customerId = :source', { source }))
    session.update('CustomerNeed', stringAt(need, 'id'), { customerId: target })
  session.update('Customer', source, { archivedAt: session.at })
  const both = (key: string) => JSON.stringify([...new Set([...listIn(to, key), ...listIn(from, key)])])
  return { customer: session.update('Customer', target, { domains: both('domains'), externalIds: both('externalIds') }) }
}

/** A workspace starts with a status for customers. */
function firstStatus(session: Session): string {
  const existing = session.select('CustomerStatus', 'where a.archivedAt is null order by a.position limit 1')[0]
  const first = { id: idOf('CustomerStatus Active'), name: 'Active', displayName: 'Active', color: '#26b5ce', position: 0, type: 'active' }
  return stringAt(existing ?? session.insert('CustomerStatus', first), 'id')
}

const customerNeed: Kind = {
  defaults: () => ({ priority: 0 }),
  check(_session, values, before) {
    if (before === undefined && typeof values['issueId'] !== 'string' && typeof values['projectId'] !== 'string')
      throw badArgument('issueId or projectId must be given.')
    return undefined
  },
}

/** Projects, milestones, statuses, initiatives and what customers need. */
export const planOperations: readonly Resolvers[] = [
  operationsOf('ProjectMilestone', milestone),
  operationsOf('ProjectStatus', status),
  operationsOf('ProjectRelation', relation('projectId', 'relatedProjectId')),
  operationsOf('InitiativeRelation', relation('initiativeId', 'relatedInitiativeId')),
  operationsOf('InitiativeUpdate', statusUpdate),
  only(
    operationsOf('ProjectUpdate', statusUpdate),
    'projectUpdateUpdate',
    'projectUpdateDelete',
    'projectUpdateArchive',
    'projectUpdateUnarchive',
  ),
  only(operationsOf('InitiativeToProject', ordered), 'initiativeToProjectUpdate', 'initiativeToProjectDelete'),
  operationsOf('RoadmapToProject', ordered),
  customers,
  operationsOf('CustomerNeed', customerNeed),
  {
    Query: {
      projectStatusProjectCount: (_, args, session) => ({
        count: session.count('Project', 'a.statusId = :id and a.archivedAt is null', { id: stringAt(args, 'id') }),
        privateCount: 0,
        archivedTeamCount: 0,
      }),
    },
    Mutation: { projectMilestoneMove: milestoneMove, projectReassignStatus: moveStatus, initiativeDelete, customerUpsert, customerMerge },
    Project: {
      lastUpdate: lastUpdate('ProjectUpdate', 'projectId'),
      relations: inverse('ProjectRelation', 'projectId'),
      inverseRelations: inverse('ProjectRelation', 'relatedProjectId'),
    },
    Initiative: { lastUpdate: lastUpdate('InitiativeUpdate', 'initiativeId') },
    Customer: {
      approximateNeedCount: (source, _, session) =>
        session.count('CustomerNeed', 'a.customerId = :id and a.archivedAt is null', { id: stringAt(source, 'id') }),
    },
  },
]
