import { newId } from './ids.ts'
import * as given from './inputs.ts'
import { findIssue } from './issues.ts'
import type { Part, Resolver } from './noun.ts'
import { duplicateLink } from './refusals.ts'
import type { Session } from './session.ts'
import { isFields, text } from './values.ts'

const existing = (session: Session, issueId: string, url: string) =>
  session.select('Attachment', 'where a.issueId = :issueId and a.url = :url', { issueId, url })[0]

/** One attachment per issue and address: a second one changes the first. */
const attachmentCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const issueId = text(findIssue(session, text(input, 'issueId')), 'id')
  const url = given.addressOf(input, 'url')
  const values = {
    title: given.required(input, 'title'),
    subtitle: given.optionalText(input, 'subtitle'),
    metadata: JSON.stringify(isFields(input['metadata']) ? input['metadata'] : {}),
    groupBySource: input['groupBySource'] === true,
  }
  const before = existing(session, issueId, url)
  if (before !== undefined) return { attachment: session.update('Attachment', text(before, 'id'), values) }
  return { attachment: session.insert('Attachment', { ...values, id, issueId, url, creatorId: session.viewerId }) }
}

const attachmentLinkURL: Resolver = (_, args, session) => {
  const id = newId(args['id'])
  const issueId = text(findIssue(session, text(args, 'issueId')), 'id')
  const url = given.addressOf(args, 'url')
  if (existing(session, issueId, url) !== undefined) throw duplicateLink()
  const title = given.optionalText(args, 'title') ?? url
  const values = { id, issueId, url, title, metadata: '{}', groupBySource: false, creatorId: session.viewerId }
  return { attachment: session.insert('Attachment', values) }
}

/** Linking issues to the rest of the world. */
export const attachmentWrites: Part = {
  sdl: `
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
  resolvers: { Mutation: { attachmentCreate, attachmentLinkURL } },
}
