import { type EntityModule, getById, listAll, toMany, manyToMany, toOne } from './entity-module.ts'
import { commonFilters, oneFilter, valueFilter, type EntityType } from '../store/entity-type.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'

const label: EntityType = {
  type: 'IssueLabel',
  table: 'labels',
  columns: {
    name: 'text',
    description: 'text?',
    color: 'text',
    isGroup: 'integer',
    parentId: 'text?',
    teamId: 'text?',
    creatorId: 'text?',
    lastAppliedAt: 'text?',
  },
  indexes: ['teamId', 'parentId'],
  filters: {
    ...commonFilters,
    name: valueFilter('words'),
    isGroup: valueFilter('flag'),
    parent: oneFilter('IssueLabel', 'parentId', 'IssueLabelFilter'),
    team: oneFilter('Team', 'teamId'),
    creator: oneFilter('User', 'creatorId'),
  },
}

/** Labels of issues, and their groups. */
export const labels: EntityModule = {
  entityTypes: [label],
  tables: `create table issueLabels (issueId text not null, labelId text not null, primary key (issueId, labelId)) strict, without rowid;
create index issueLabels_label on issueLabels (labelId);`,
  sdl: `
type IssueLabel implements Node {
  id: ID!  name: String!  isGroup: Boolean!  parent: IssueLabel  team: Team  color: String!  description: String
  archivedAt: DateTime  lastAppliedAt: DateTime  updatedAt: DateTime!  inheritedFrom: IssueLabel
  groupType: LabelGroupType  createdAt: DateTime!  creator: User  retiredBy: User
  children(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
  issues(filter: IssueFilter, ${page}): IssueConnection!
}
enum LabelGroupType { multiSelect singleSelect }
${connection('IssueLabel')}
${filterTypes(label, { collection: true })}
extend input IssueLabelCollectionFilter { null: Boolean }
extend type Query {
  issueLabel(id: String!): IssueLabel!
  issueLabels(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
}`,
  resolvers: {
    IssueLabel: {
      parent: toOne('IssueLabel', 'parentId'),
      team: toOne('Team', 'teamId'),
      creator: toOne('User', 'creatorId'),
      groupType: (source) => (source['isGroup'] === 1 ? 'singleSelect' : null),
      children: toMany('IssueLabel', 'parentId'),
      issues: manyToMany('Issue', ['issueLabels', 'labelId', 'issueId']),
    },
    Query: { issueLabel: getById('IssueLabel'), issueLabels: listAll('IssueLabel') },
  },
}
