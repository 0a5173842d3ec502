import { byId, every, toOne, within } from './entities.ts'
import { commonFilters, one, value, type Noun, type Part } from './noun.ts'
import { connection, filterTypes, page } from './sdl.ts'
import { parseJson, text } from './values.ts'

const attachment: Noun = {
  type: 'Attachment',
  table: 'attachments',
  columns: {
    title: 'text',
    subtitle: 'text?',
    url: 'text',
    sourceType: 'text?',
    metadata: 'text',
    groupBySource: 'integer',
    issueId: 'text',
    creatorId: 'text?',
  },
  indexes: ['issueId'],
  uniques: ['issueId, url'],
  filters: {
    ...commonFilters,
    title: value('words'),
    subtitle: value('words'),
    url: value('words'),
    sourceType: value('words'),
    creator: one('User', 'creatorId'),
  },
}

/** Links from issues to the rest of the world. */
export const attachments: Part = {
  nouns: [attachment],
  sdl: `
type Attachment implements Node {
  id: ID!  title: String!  subtitle: String  url: String!  sourceType: String  createdAt: DateTime!  creator: User
  issue: Issue!  source: JSONObject  metadata: JSONObject!  bodyData: String  originalIssue: Issue  updatedAt: DateTime!
  externalUserCreator: ExternalUser  archivedAt: DateTime  groupBySource: Boolean!
}
${connection('Attachment')}
${filterTypes({
  type: 'Attachment',
  fields: `id: IdComparator  title: StringComparator  subtitle: NullableStringComparator  url: StringComparator
    sourceType: SourceTypeComparator  creator: NullableUserFilter  createdAt: DateComparator  updatedAt: DateComparator`,
  collection: true,
})}
extend type Query {
  attachment(id: String!): Attachment!
  attachments(filter: AttachmentFilter, ${page}): AttachmentConnection!
  attachmentsForURL(url: String!, ${page}): AttachmentConnection!
}`,
  resolvers: {
    Attachment: {
      metadata: (source) => parseJson(text(source, 'metadata')),
      issue: toOne('Issue', 'issueId'),
      creator: toOne('User', 'creatorId'),
    },
    Query: {
      attachment: byId('Attachment'),
      attachments: every('Attachment'),
      attachmentsForURL: (_, args, session) => session.page('Attachment', args, within('a.url = :owner', text(args, 'url'))),
    },
  },
}
