import { newId, slugOf } from './ids.ts'
import * as given from './inputs.ts'
import type { Part, Resolver, Row } from './noun.ts'
import { badArgument, conflict } from './refusals.ts'
import type { Changes, Session } from './session.ts'
import { text, textOrNull, type Fields } from './values.ts'

const longestDescription = 255

/** The columns that an input changes. */
function changesOf(session: Session, input: Fields, before: Row | undefined): Changes {
  const owner = given.pointed(session, 'User', [input, 'ownerId'])
  const status = given.optionalText(input, 'status') ?? undefined
  const started = before === undefined ? null : textOrNull(before, 'startedAt')
  return {
    description: given.bounded(input, 'description', longestDescription),
    content: given.optionalText(input, 'content'),
    icon: given.optionalText(input, 'icon'),
    color: given.optionalText(input, 'color'),
    targetDate: given.dayOf(input, 'targetDate', session.now),
    targetDateResolution: given.optionalText(input, 'targetDateResolution'),
    ownerId: given.idIn(owner),
    ...(status !== undefined && {
      status,
      startedAt: status === 'Active' ? (started ?? session.at) : started,
      completedAt: status === 'Completed' ? session.at : null,
    }),
  }
}

const defined = (changes: Changes): Changes => Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

const initiativeCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const initiative = session.insert('Initiative', {
    status: 'Planned',
    priority: 0,
    ...defined(changesOf(session, input, undefined)),
    id,
    name: given.required(input, 'name'),
    slugId: slugOf(id),
    creatorId: session.viewerId,
  })
  return { initiative }
}

const initiativeUpdate: Resolver = (_, args, session) => {
  const before = given.entity(session, 'Initiative', { id: args['id'], key: 'id' })
  const input = given.inputOf(args)
  const name = input['name'] === null ? undefined : given.filled(input, 'name')
  return { initiative: session.update('Initiative', text(before, 'id'), defined({ ...changesOf(session, input, before), name })) }
}

const family = `with recursive
  above(id) as (values (:id) union select i.parentInitiativeId from initiatives i join above on i.id = above.id where i.parentInitiativeId is not null),
  below(id) as (values (:id) union select i.id from initiatives i join below on i.parentInitiativeId = below.id)
  select id from above union select id from below`

const initiativeToProjectCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const initiativeId = text(given.entity(session, 'Initiative', { id: input['initiativeId'], key: 'initiativeId' }), 'id')
  const projectId = text(given.entity(session, 'Project', { id: input['projectId'], key: 'projectId' }), 'id')
  if (session.find('InitiativeToProject', id) !== null) throw conflict('InitiativeToProject', id)
  const linked = session.select('InitiativeToProject', `where a.projectId = :projectId and a.initiativeId in (${family})`, {
    projectId,
    id: initiativeId,
  })
  if (linked.length > 0) throw badArgument('A project can only appear once in an initiative hierarchy.')
  const sortOrder = typeof input['sortOrder'] === 'number' ? String(input['sortOrder']) : '0'
  return { initiativeToProject: session.insert('InitiativeToProject', { id, initiativeId, projectId, sortOrder }) }
}

/** Creating and changing initiatives. */
export const initiativeWrites: Part = {
  sdl: `
type InitiativePayload { success: Boolean!  initiative: Initiative!  lastSyncId: Float! }
type InitiativeArchivePayload implements ArchivePayload { success: Boolean!  entity: Initiative  lastSyncId: Float! }
input InitiativeCreateInput {
  id: String  name: String!  description: String  content: String  status: InitiativeStatus  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  ownerId: String  icon: String  color: String
}
input InitiativeUpdateInput {
  name: String  description: String  content: String  status: InitiativeStatus  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  ownerId: String  icon: String  color: String
}
type InitiativeToProjectPayload { success: Boolean!  initiativeToProject: InitiativeToProject!  lastSyncId: Float! }
input InitiativeToProjectCreateInput { id: String  initiativeId: String!  projectId: String!  sortOrder: Float }
extend type Mutation {
  initiativeCreate(input: InitiativeCreateInput!): InitiativePayload!
  initiativeUpdate(id: String!, input: InitiativeUpdateInput!): InitiativePayload!
  initiativeArchive(id: String!): InitiativeArchivePayload!
  initiativeUnarchive(id: String!): InitiativeArchivePayload!
  initiativeToProjectCreate(input: InitiativeToProjectCreateInput!): InitiativeToProjectPayload!
}`,
  resolvers: {
    Mutation: {
      initiativeCreate,
      initiativeUpdate,
      initiativeArchive: (_, args, session) => ({
        entity: given.archived(session, 'Initiative', {
          row: given.entity(session, 'Initiative', { id: args['id'], key: 'id' }),
          trash: false,
        }),
      }),
      initiativeUnarchive(_, args, session) {
        const { id } = given.entity(session, 'Initiative', { id: args['id'], key: 'id' })
        return { entity: session.update('Initiative', String(id), { archivedAt: null, trashed: null }) }
      },
      initiativeToProjectCreate,
    },
  },
}
