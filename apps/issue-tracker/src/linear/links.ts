import * as z from 'zod'
import { operation } from './operation.ts'
import { IssueRef } from './records.ts'
import { Attached } from './issue-writes.ts'

export const Link = Attached.extend({ source_type: z.string().nullish() })
const link = 'id title url sourceType'

/** An issue, and what is attached to it under any of some addresses. */
export const linksOf = operation<{ id: string; urls: readonly string[] }>()(
  `query LinksOf($id: String!, $urls: [String!]!) { issue(id: $id) {
    ...IssueRef attachments(first: 1, filter: { url: { in: $urls } }) { nodes { ${link} } }
  } }`,
  z.object({ issue: IssueRef.extend({ attachments: z.array(Link) }) }),
)

/** Links a page: with the code host connected, Linear keeps its state up to date. A page that is linked already is refused. */
export const linkPage = operation<{ id: string; issueId: string; url: string; title: string }>()(
  `mutation LinkCodeHost($id: String!, $issueId: String!, $url: String!, $title: String!) {
    attachmentLinkURL(id: $id, issueId: $issueId, url: $url, title: $title) { attachment { ${link} } }
  }`,
  z.object({ attachment_link_url: z.object({ attachment: Link }) }),
)
