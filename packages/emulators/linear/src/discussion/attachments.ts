import { isObject, type JsonObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { changeRow, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, scopedTo } from '../engine/entity-module.ts'
import { findIssue } from '../engine/input-values.ts'
import { inputOf, optionalText, requiredText, requiredUrl } from '../engine/inputs.ts'
import { badArgument, duplicateAttachment } from '../errors.ts'
import { newId } from '../ids.ts'
import { columnsOf, type Entity, type EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { keptPath } from '../uploads/uploads.ts'

const attachment: EntityType = {
  type: 'Attachment',
  table: 'attachments',
  columns: columnsOf('title, subtitle?, url, sourceType?, metadata, groupBySource: integer, issueId, creatorId?'),
  indexes: ['issueId'],
  uniques: ['issueId, url'],
  searched: ['title', 'subtitle', 'url', 'sourceType'],
}

const existing = (session: Session, issueId: string, url: string) =>
  session.select('Attachment', 'where a.issueId = :issueId and a.url = :url', { issueId, url })[0]

/** An issue has one attachment per URL, so a second one updates the first. */
const attachmentCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const issueId = findIssue(session, stringAt(input, 'issueId')).id
  const url = requiredUrl(input, 'url')
  const values = {
    title: requiredText(input, 'title'),
    subtitle: optionalText(input, 'subtitle'),
    metadata: JSON.stringify(isObject(input['metadata']) ? input['metadata'] : {}),
    groupBySource: input['groupBySource'] === true,
  }
  const before = existing(session, issueId, url)
  if (before !== undefined) return { attachment: session.update('Attachment', before.id, values) }
  return { attachment: session.insert('Attachment', { ...values, id, issueId, url, creatorId: session.viewerId }) }
}

/** Adds a plain link, because no integration is connected. */
function link(session: Session, args: JsonObject, sourceType: string | null): Entity {
  const id = newId(args['id'])
  const issueId = findIssue(session, stringAt(args, 'issueId')).id
  const url = requiredUrl(args, 'url')
  if (existing(session, issueId, url) !== undefined) throw duplicateAttachment()
  const title = optionalText(args, 'title') ?? url
  const values = { id, issueId, url, title, sourceType, metadata: '{}', groupBySource: false, creatorId: session.viewerId }
  return session.insert('Attachment', values)
}

const attachmentUpdate: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'Attachment', args['id'])
  const input = inputOf(args)
  const metadata = isObject(input['metadata']) ? { metadata: JSON.stringify(input['metadata']) } : {}
  const changes = {
    title: requiredText(input, 'title'),
    subtitle: optionalText(input, 'subtitle'),
    iconUrl: optionalText(input, 'iconUrl'),
    ...metadata,
  }
  return { attachment: changeRow(session, { type: 'Attachment', before, changes }) }
}

/** Services by the mutation that links to one of their pages. A pattern that accepts any host is for a service that may be self-hosted. */
const services: Readonly<Record<string, readonly [sourceType: string, page: string, address: RegExp]>> = {
  attachmentLinkGitHubPR: ['github', 'a GitHub pull request', /^https:\/\/[^/]+\/[^/]+\/[^/]+\/pull\/\d+/],
  attachmentLinkGitHubIssue: ['github', 'a GitHub issue', /^https:\/\/[^/]+\/[^/]+\/[^/]+\/issues\/\d+/],
  attachmentLinkGitLabMR: ['gitlab', 'a GitLab merge request', /^https:\/\/[^/]+\/.+\/merge_requests\/\d+/],
  attachmentLinkSlack: ['slack', 'a Slack message', /^https:\/\/[^/]+\.slack\.com\/archives\/[^/]+\/p\d+/],
  attachmentLinkDiscord: ['discord', 'a Discord message', /^https:\/\/(?:\w+\.)?discord\.com\/channels\/[^/]+\/\d+\/\d+/],
  attachmentLinkSalesforce: ['salesforce', 'a Salesforce page', /^https:\/\/[^/]+\.(?:salesforce|force)\.com\//],
}

const serviceLinks = Object.entries(services).map(([field, [sourceType, page, address]]): [string, FieldResolver] => [
  field,
  (_, args, session) => {
    if (!address.test(requiredUrl(args, 'url'))) throw badArgument(`url must be the URL of ${page}.`)
    return { attachment: link(session, args, sourceType) }
  },
])

/** Links from issues to other services. */
export const attachments = entity(attachment, {
  fields: {
    metadata: (source) => parseJson(stringAt(source, 'metadata')),
    url(source, _, { store, files }) {
      const url = stringAt(source, 'url')
      const path = keptPath(store, url)
      return path === undefined ? url : files() + path
    },
  },
  queries: {
    attachmentsForURL: (_, args, session) => session.page('Attachment', args, scopedTo('a.url = :owner', stringAt(args, 'url'))),
    attachmentIssue: (_, args, session) => session.get('Issue', stringAt(findRow(session, 'Attachment', args['id']), 'issueId')),
  },
  mutations: {
    attachmentCreate,
    attachmentUpdate,
    attachmentLinkURL: (_, args, session) => ({ attachment: link(session, args, null) }),
    ...Object.fromEntries(serviceLinks),
  },
})
