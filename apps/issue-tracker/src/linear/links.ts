import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation } from './operation.ts'
import { IssueRef } from './records.ts'
import { Attached } from './issue-writes.ts'

export const Link = Attached.extend({ source_type: z.string().nullish() })
const link = 'id title url sourceType'

/** An issue, and what is attached to it under some addresses. */
export const linksOf = operation<{ id: string; pages: Linear.AttachmentFilter }>()(
  `query LinksOf($id: String!, $pages: AttachmentFilter!) { issue(id: $id) {
    ...IssueRef attachments(first: 1, filter: $pages) { nodes { ${link} } }
  } }`,
  z.object({ issue: IssueRef.extend({ attachments: z.array(Link) }) }),
)

/** The addresses of one page: whether they say http or https, `www.` or not, and their case make no difference. */
export function pagesAt(addresses: readonly string[]): Linear.AttachmentFilter {
  const rests = [...new Set(addresses.map((address) => address.trim().replace(/^https?:\/\/(?:www\.)?/i, '')))]
  const starts = ['https://', 'http://', 'https://www.', 'http://www.']
  return { or: rests.flatMap((rest) => starts.map((start) => ({ url: { eqIgnoreCase: `${start}${rest}` } }))) }
}

/** Links a page: with the code host connected, Linear keeps its state up to date. A page that is linked already is refused. */
export const linkPage = operation<{ id: string; issueId: string; url: string; title: string }>()(
  `mutation LinkCodeHost($id: String!, $issueId: String!, $url: String!, $title: String!) {
    attachmentLinkURL(id: $id, issueId: $issueId, url: $url, title: $title) { attachment { ${link} } }
  }`,
  z.object({ attachment_link_url: z.object({ attachment: Link }) }),
)
