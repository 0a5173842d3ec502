import { inputOf, optionalText, requiredEntity, requiredText } from '../inputs.ts'
import { type EntityModule, getById, listAll, type FieldResolver, toOne } from './entity-module.ts'
import { newId, slugIdFor, workspaceUrl } from '../ids.ts'
import { commonFilters, oneFilter, type EntityType } from '../store/entity-type.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'

const update: EntityType = {
  type: 'ProjectUpdate',
  table: 'projectUpdates',
  columns: { body: 'text', health: 'text', projectId: 'text', userId: 'text', editedAt: 'text?' },
  indexes: ['projectId'],
  filters: { ...commonFilters, user: oneFilter('User', 'userId'), project: oneFilter('Project', 'projectId') },
}

const projectUpdateCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const project = requiredEntity(session, 'Project', input['projectId'], 'projectId')
  const projectId = stringAt(project, 'id')
  const health = optionalText(input, 'health') ?? stringOrNullAt(project, 'health') ?? 'onTrack'
  const projectUpdateRow = session.insert('ProjectUpdate', {
    id,
    body: requiredText(input, 'body'),
    health,
    projectId,
    userId: session.viewerId,
  })
  session.update('Project', projectId, { health, healthUpdatedAt: session.at })
  return { projectUpdate: projectUpdateRow }
}

/** Status updates of projects. */
export const projectUpdates: EntityModule = {
  entityTypes: [update],
  sdl: `
type ProjectUpdate implements Node {
  id: ID!  health: ProjectUpdateHealthType!  body: String!  createdAt: DateTime!  url: String!  user: User!
  project: Project!  shortSummary: String  reactionData: JSONObject!  commentCount: Int!  reactions: [Reaction!]!
  diffMarkdown: String  diff: JSONObject  updatedAt: DateTime!  archivedAt: DateTime  editedAt: DateTime
  slugId: String!  isDiffHidden: Boolean!  isStale: Boolean!
}
enum ProjectUpdateHealthType { atRisk offTrack onTrack }
${connection('ProjectUpdate')}
${filterTypes(update)}
extend type Query {
  projectUpdate(id: String!, projectId: String): ProjectUpdate!
  projectUpdates(filter: ProjectUpdateFilter, ${page}): ProjectUpdateConnection!
}
type ProjectUpdatePayload { success: Boolean!  projectUpdate: ProjectUpdate!  lastSyncId: Float! }
input ProjectUpdateCreateInput { id: String  projectId: String!  body: String  health: ProjectUpdateHealthType }
extend type Mutation {
  projectUpdateCreate(input: ProjectUpdateCreateInput!): ProjectUpdatePayload!
}`,
  resolvers: {
    ProjectUpdate: {
      slugId: (source) => slugIdFor(stringAt(source, 'id')),
      url: (source) => `${workspaceUrl}/project-update/${slugIdFor(stringAt(source, 'id'))}`,
      project: toOne('Project', 'projectId'),
      user: toOne('User', 'userId'),
    },
    Query: { projectUpdate: getById('ProjectUpdate'), projectUpdates: listAll('ProjectUpdate') },
    Mutation: { projectUpdateCreate },
  },
}
