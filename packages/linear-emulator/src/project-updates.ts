import { byId, every, toOne } from './entities.ts'
import { slugOf } from './ids.ts'
import { commonFilters, one, type Noun, type Part } from './noun.ts'
import { connection, filterTypes, page } from './sdl.ts'
import { text } from './values.ts'
import { workspaceUrl } from './workspace.ts'

const update: Noun = {
  type: 'ProjectUpdate',
  table: 'projectUpdates',
  columns: { body: 'text', health: 'text', projectId: 'text', userId: 'text', editedAt: 'text?' },
  indexes: ['projectId'],
  filters: { ...commonFilters, user: one('User', 'userId'), project: one('Project', 'projectId') },
}

/** Status posts of projects. */
export const projectUpdates: Part = {
  nouns: [update],
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
      slugId: (source) => slugOf(text(source, 'id')),
      url: (source) => `${workspaceUrl}/project-update/${slugOf(text(source, 'id'))}`,
      project: toOne('Project', 'projectId'),
      user: toOne('User', 'userId'),
    },
    Query: { projectUpdate: byId('ProjectUpdate'), projectUpdates: every('ProjectUpdate') },
  },
}
