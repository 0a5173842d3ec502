import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { field, mutation, nodes, query } from '../document.ts'
import { IssueRef, OptionalText, Person, Text, Timestamp } from '../records.ts'

export const AttachmentRef = z.object({ id: Text, title: Text, url: Text })
export type AttachmentRef = z.output<typeof AttachmentRef>

export const Attachment = z.object({
  title: Text,
  subtitle: OptionalText,
  url: Text,
  source_type: OptionalText,
  created_at: Timestamp,
  creator: Person.optional(),
})

/** A URL to attach to an issue. */
export interface NewAttachment {
  readonly url: string
  readonly title: string
}

/** The mutation field that attaches `$attachment`. */
export const attachment = field('attachmentCreate(input: $attachment)', z.object({ attachment: AttachmentRef }))
/** An issue's attachment with the URL `$url`. */
export const attachmentsAt = nodes('attachments(first: 1, filter: { url: { eq: $url } })', AttachmentRef)

/** An issue, and one of its attachments. */
export const issueWithLinks = query(
  'LinksOf',
  { id: 'String!', links: 'AttachmentFilter!' },
  {
    issue: field(
      'issue(id: $id)',
      IssueRef.extend({ archived_at: Timestamp, attachments: nodes('attachments(first: 1, filter: $links)', AttachmentRef) }),
    ),
  },
)

/** Filters for the URLs in all their forms: protocol, `www.` and case do not matter. */
export function urlFilters(urls: readonly string[]): Linear.AttachmentFilter[] {
  const addresses = [...new Set(urls.map((url) => url.trim().replace(/^https?:\/\/(?:www\.)?/i, '')))]
  const starts = ['https://', 'http://', 'https://www.', 'http://www.']
  return addresses.flatMap((address) => starts.map((start) => ({ url: { eqIgnoreCase: `${start}${address}` } })))
}

/** Links a URL. If its code host is connected, Linear keeps the link's state up to date. Linear refuses a URL that is already linked. */
export const linkUrl = mutation(
  'LinkCodeHost',
  { id: 'String!', issueId: 'String!', url: 'String!', title: 'String!' },
  {
    attachment_link_url: field(
      'attachmentLinkURL(id: $id, issueId: $issueId, url: $url, title: $title)',
      z.object({ attachment: AttachmentRef }),
    ),
  },
)
