import { isObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { badArgument, duplicateAttachment } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { newId } from '../ids.ts'
import { inputOf, optionalText, requiredText, requiredUrl } from '../engine/inputs.ts'
import { commonFilters, type EntityType, oneFilter, valueFilter } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { type EntityModule, type FieldResolver, getById, listAll, scopedTo, toOne } from '../engine/entity-module.ts'
import { stateChanges } from './mutations.ts'
import { findIssue } from './issues.ts'

const relation: EntityType = {
  type: 'IssueRelation',
  table: 'relations',
  columns: { type: 'text', issueId: 'text', relatedIssueId: 'text' },
  indexes: ['issueId', 'relatedIssueId'],
  filters: commonFilters,
}

const issueRelationCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const issue = findIssue(session, stringAt(input, 'issueId'))
  const related = findIssue(session, stringAt(input, 'relatedIssueId'))
  if (issue['id'] === related['id']) throw badArgument('relatedIssueId must be another issue.')
  const type = stringAt(input, 'type')
  const issueRelation = session.insert('IssueRelation', {
    id,
    type,
    issueId: stringAt(issue, 'id'),
    relatedIssueId: stringAt(related, 'id'),
  })
  const duplicates =
    type === 'duplicate'
      ? session.find('WorkflowState', session.get('Team', stringAt(issue, 'teamId'))['markedAsDuplicateWorkflowStateId'])
      : null
  if (duplicates !== null) session.update('Issue', stringAt(issue, 'id'), stateChanges(session, issue, duplicates))
  return { issueRelation }
}

/** Relations of issues. The issue blocks or duplicates the related issue. */
export const relations: EntityModule = {
  entityTypes: [relation],
  sdl: `
type IssueRelation implements Node {
  id: ID!  type: String!  relatedIssue: Issue!  issue: Issue!  updatedAt: DateTime!  archivedAt: DateTime
  createdAt: DateTime!
}
enum IssueRelationType { blocks duplicate related similar }
${connection('IssueRelation')}
extend type Query {
  issueRelation(id: String!): IssueRelation!
  issueRelations(${page}): IssueRelationConnection!
}
type IssueRelationPayload { success: Boolean!  issueRelation: IssueRelation!  lastSyncId: Float! }
input IssueRelationCreateInput { id: String  issueId: String!  relatedIssueId: String!  type: IssueRelationType! }
extend type Mutation {
  issueRelationCreate(input: IssueRelationCreateInput!, overrideCreatedAt: DateTime): IssueRelationPayload!
}`,
  resolvers: {
    IssueRelation: { issue: toOne('Issue', 'issueId'), relatedIssue: toOne('Issue', 'relatedIssueId') },
    Query: { issueRelation: getById('IssueRelation'), issueRelations: listAll('IssueRelation') },
    Mutation: { issueRelationCreate },
  },
}

const attachment: EntityType = {
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
    title: valueFilter('words'),
    subtitle: valueFilter('words'),
    url: valueFilter('words'),
    sourceType: valueFilter('words', 'SourceTypeComparator'),
    creator: oneFilter('User', 'creatorId'),
  },
}

const existing = (session: Session, issueId: string, url: string) =>
  session.select('Attachment', 'where a.issueId = :issueId and a.url = :url', { issueId, url })[0]

/** An issue has one attachment per URL, so a second one updates the first. */
const attachmentCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const issueId = stringAt(findIssue(session, stringAt(input, 'issueId')), 'id')
  const url = requiredUrl(input, 'url')
  const values = {
    title: requiredText(input, 'title'),
    subtitle: optionalText(input, 'subtitle'),
    metadata: JSON.stringify(isObject(input['metadata']) ? input['metadata'] : {}),
    groupBySource: input['groupBySource'] === true,
  }
  const before = existing(session, issueId, url)
  if (before !== undefined) return { attachment: session.update('Attachment', stringAt(before, 'id'), values) }
  return { attachment: session.insert('Attachment', { ...values, id, issueId, url, creatorId: session.viewerId }) }
}

const attachmentLinkURL: FieldResolver = (_, args, session) => {
  const id = newId(args['id'])
  const issueId = stringAt(findIssue(session, stringAt(args, 'issueId')), 'id')
  const url = requiredUrl(args, 'url')
  if (existing(session, issueId, url) !== undefined) throw duplicateAttachment()
  const title = optionalText(args, 'title') ?? url
  const values = { id, issueId, url, title, metadata: '{}', groupBySource: false, creatorId: session.viewerId }
  return { attachment: session.insert('Attachment', values) }
}

/** Links from issues to other services. */
export const attachments: EntityModule = {
  entityTypes: [attachment],
  sdl: `
type Attachment implements Node {
  id: ID!  title: String!  subtitle: String  url: String!  sourceType: String  createdAt: DateTime!  creator: User
  issue: Issue!  source: JSONObject  metadata: JSONObject!  bodyData: String  originalIssue: Issue  updatedAt: DateTime!
  externalUserCreator: ExternalUser  archivedAt: DateTime  groupBySource: Boolean!
}
${connection('Attachment')}
${filterTypes(attachment, { collection: true })}
extend type Query {
  attachment(id: String!): Attachment!
  attachments(filter: AttachmentFilter, ${page}): AttachmentConnection!
  attachmentsForURL(url: String!, ${page}): AttachmentConnection!
}
type AttachmentPayload { success: Boolean!  attachment: Attachment!  lastSyncId: Float! }
input AttachmentCreateInput {
  id: String  issueId: String!  url: String!  title: String!  subtitle: String  groupBySource: Boolean
  metadata: JSONObject  iconUrl: String
}
extend type Mutation {
  attachmentCreate(input: AttachmentCreateInput!): AttachmentPayload!
  attachmentLinkURL(
    createAsUser: String, displayIconUrl: String, id: String, issueId: String!, title: String, url: String!
  ): AttachmentPayload!
}`,
  resolvers: {
    Attachment: {
      metadata: (source) => parseJson(stringAt(source, 'metadata')),
      issue: toOne('Issue', 'issueId'),
      creator: toOne('User', 'creatorId'),
    },
    Query: {
      attachment: getById('Attachment'),
      attachments: listAll('Attachment'),
      attachmentsForURL: (_, args, session) => session.page('Attachment', args, scopedTo('a.url = :owner', stringAt(args, 'url'))),
    },
    Mutation: { attachmentCreate, attachmentLinkURL },
  },
}
