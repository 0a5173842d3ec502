import { type EntityModule, getById, listAll, toOne } from './entity-module.ts'
import { slugIdFor } from '../ids.ts'
import { commonFilters, oneFilter, type EntityType } from '../store/entity-type.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { stringAt } from '@mcp-toolkits/emulator'
import { workspaceUrl } from './organization.ts'

const update: EntityType = {
  type: 'ProjectUpdate',
  table: 'projectUpdates',
  columns: { body: 'text', health: 'text', projectId: 'text', userId: 'text', editedAt: 'text?' },
  indexes: ['projectId'],
  filters: { ...commonFilters, user: oneFilter('User', 'userId'), project: oneFilter('Project', 'projectId') },
}

/** Status posts of projects. */
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
${filterTypes({
  type: 'ProjectUpdate',
  fields: `id: IdComparator  user: UserFilter  project: ProjectFilter  createdAt: DateComparator  updatedAt: DateComparator`,
})}
extend type Query {
  projectUpdate(id: String!, projectId: String): ProjectUpdate!
  projectUpdates(filter: ProjectUpdateFilter, ${page}): ProjectUpdateConnection!
}`,
  resolvers: {
    ProjectUpdate: {
      slugId: (source) => slugIdFor(stringAt(source, 'id')),
      url: (source) => `${workspaceUrl}/project-update/${slugIdFor(stringAt(source, 'id'))}`,
      project: toOne('Project', 'projectId'),
      user: toOne('User', 'userId'),
    },
    Query: { projectUpdate: getById('ProjectUpdate'), projectUpdates: listAll('ProjectUpdate') },
  },
}
