import { type JsonObject, parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { change, create, type CrudHooks, entity, findRow } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { inputOf } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { idOf } from '../ids.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

const hooks: CrudHooks = { defaults: (session) => ({ statusId: firstStatus(session) }) }

/** The values in one of a customer's lists. */
const listIn = (row: Entity, key: string): readonly string[] => stringsIn(parseJson(String(row[key] ?? '[]')))

/** Finds a customer by id, external id, Slack channel or domain. */
function matchingCustomer(session: Session, { id, externalId, slackChannelId, domains = [] }: JsonObject): Entity | undefined {
  const wanted = stringsIn(domains)
  return session
    .select('Customer', 'where a.archivedAt is null')
    .find(
      (each) =>
        each.id === id ||
        (typeof externalId === 'string' && listIn(each, 'externalIds').includes(externalId)) ||
        (typeof slackChannelId === 'string' && each['slackChannelId'] === slackChannelId) ||
        listIn(each, 'domains').some((domain) => wanted.includes(domain)),
    )
}

const customerUpsert: FieldResolver = (_, args, session) => {
  const given = inputOf(args)
  const { externalId, id, ...input } = given
  const existing = matchingCustomer(session, given)
  const known = existing ? listIn(existing, 'externalIds') : []
  const externalIds = [...new Set(typeof externalId === 'string' ? [...known, externalId] : known)]
  const operation = { type: 'Customer', hooks, mutation: existing ? 'customerUpdate' : 'customerCreate' }
  const customer = existing
    ? change(session, operation, { id: existing.id, input: { ...input, externalIds } })
    : create(session, operation, { ...input, externalIds, id })
  return { customer }
}

/** Merges a customer into another: moves its needs, domains and external ids, and archives it. */
const customerMerge: FieldResolver = (_, args, session) => {
  const [from, to] = [findRow(session, 'Customer', args['sourceCustomerId']), findRow(session, 'Customer', args['targetCustomerId'])]
  const [source, target] = [from.id, to.id]
  if (source === target) throw badArgument('targetCustomerId must be another customer.')
  for (const need of session.select('CustomerNeed', 'where a.customerId = :source', { source }))
    session.update('CustomerNeed', need.id, { customerId: target })
  session.update('Customer', source, { archivedAt: session.at })
  const both = (key: string) => JSON.stringify([...new Set([...listIn(to, key), ...listIn(from, key)])])
  return { customer: session.update('Customer', target, { domains: both('domains'), externalIds: both('externalIds') }) }
}

/** The first customer status; created if there is none. */
function firstStatus(session: Session): string {
  const existing = session.select('CustomerStatus', 'where a.archivedAt is null order by a.position limit 1')[0]
  const first = { id: idOf('CustomerStatus Active'), name: 'Active', displayName: 'Active', color: '#26b5ce', position: 0, type: 'active' }
  return (existing ?? session.insert('CustomerStatus', first)).id
}

/** Refuses to remove a status or tier in use by customers. */
function checkUnused(session: Session, column: 'statusId' | 'tierId', row: Entity): void {
  if (session.count('Customer', `a.${column} = :id`, { id: row.id }) > 0)
    throw badArgument('Customers still have it; give them another one first.')
}

/** Customer statuses. The last one cannot be deleted. */
export const customerStatuses = entity('CustomerStatus', {
  defaults(session) {
    firstStatus(session)
    return {}
  },
  beforeRemoval(session, row) {
    checkUnused(session, 'statusId', row)
    if (session.count('CustomerStatus', 'a.id <> :id and a.archivedAt is null', { id: row.id }) === 0)
      throw badArgument('The last customer status cannot be deleted.')
  },
})

export const customerTiers = entity('CustomerTier', {
  beforeRemoval(session, row) {
    checkUnused(session, 'tierId', row)
  },
})

/** Customer needs, each of which belongs to an issue or a project. */
export const customerNeeds = entity('CustomerNeed', {
  defaults: () => ({ priority: 0 }),
  check(_session, values, before) {
    if (before === undefined && typeof values['issueId'] !== 'string' && typeof values['projectId'] !== 'string')
      throw badArgument('issueId or projectId must be given.')
    return undefined
  },
})

export const customers = entity('Customer', {
  ...hooks,
  fields: {
    approximateNeedCount: (source, _, session) =>
      session.count('CustomerNeed', 'a.customerId = :id and a.archivedAt is null', { id: stringAt(source, 'id') }),
  },
  mutations: { customerUpsert, customerMerge },
})
