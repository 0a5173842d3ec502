import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { field, mutation, nodes, query } from './document.ts'
import { IssueRef, Person } from './records.ts'

export const AttachmentRef = z.object({ id: z.string(), title: z.string(), url: z.string() })
export type AttachmentRef = z.output<typeof AttachmentRef>

export const Attachment = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string().nullish(),
  url: z.string(),
  source_type: z.string().nullish(),
  created_at: z.string(),
  creator: Person.nullish(),
})

/** A URL that is to be attached to an issue. */
export interface NewAttachment {
  readonly url: string
  readonly title: string
}

/** What a mutation that attaches `$attachment` returns. */
export const attachment = field('attachmentCreate(input: $attachment)', z.object({ attachment: AttachmentRef }))
/** What is attached to an issue under `$url`. */
export const attachmentsAt = nodes('attachments(first: 1, filter: { url: { eq: $url } })', AttachmentRef)

export const Link = AttachmentRef.extend({ source_type: z.string().nullish() })

/** An issue, and what is attached to it under some URLs. */
export const linksOf = query(
  'LinksOf',
  { id: 'String!', pages: 'AttachmentFilter!' },
  { issue: field('issue(id: $id)', IssueRef.extend({ attachments: nodes('attachments(first: 1, filter: $pages)', Link) })) },
)

/** The URLs of one page: http or https, `www.` or not and upper or lower case make no difference. */
export function pagesAt(urls: readonly string[]): Linear.AttachmentFilter {
  const rests = [...new Set(urls.map((url) => url.trim().replace(/^https?:\/\/(?:www\.)?/i, '')))]
  const starts = ['https://', 'http://', 'https://www.', 'http://www.']
  return { or: rests.flatMap((rest) => starts.map((start) => ({ url: { eqIgnoreCase: `${start}${rest}` } }))) }
}

/** Links a page: with the code host connected, Linear keeps its state up to date. A page that is linked already is refused. */
export const linkPage = mutation(
  'LinkCodeHost',
  { id: 'String!', issueId: 'String!', url: 'String!', title: 'String!' },
  {
    attachment_link_url: field('attachmentLinkURL(id: $id, issueId: $issueId, url: $url, title: $title)', z.object({ attachment: Link })),
  },
)
