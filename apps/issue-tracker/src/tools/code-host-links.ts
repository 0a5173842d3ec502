import { Unavailable } from '@mcp-toolkits/core'
import * as z from 'zod'
import { artifactAt } from '../code-hosts.ts'
import { defineTool } from '../context.ts'
import { Link, linkPage, linksOf } from '../linear/links.ts'
import { once } from '../linear/once.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { issueSought } from '../resolve/issue-change.ts'
import { sought } from '../resolve/sought.ts'
import { issueReference } from './parameters.ts'
import { reference, title } from './writing.ts'

export const linkCodeHostToIssue = defineTool({
  name: 'LinkCodeHostToIssue',
  title: 'Link code to an issue',
  description:
    'Link a pull request, merge request, commit or issue of a code host (GitHub, GitLab, Bitbucket or self-hosted) to an issue. What it is and its title come from the URL, which is never fetched. Linking the same URL again changes nothing.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    code_host_url: reference('URL of the pull request, commit or issue.'),
    title: title('A title for the link; made from the URL if left out.').optional(),
  }),
  output: z.object({
    issue: IssueRef,
    attachment: Link,
    kind: z.enum(['pull_request', 'commit', 'issue']),
    changed: z.boolean(),
  }),
  async run(args, { linear, identities }, { signal }) {
    const artifact = artifactAt(args.code_host_url)
    const id = issueNamed(args.issue)
    const look = () => linear.run(linksOf, { id, urls: [artifact.url, args.code_host_url.trim()] }, signal)
    const { attachments, ...issue } = (await sought(issueSought(id), look())).issue
    const about = { issue, kind: artifact.kind }
    if (attachments[0]) return { ...about, attachment: attachments[0], changed: false }
    return identities.using(['LinkCodeHostToIssue', args], async (linkId) => {
      const wanted = { id: linkId, issueId: issue.id, url: artifact.url, title: args.title ?? artifact.title }
      const { record } = await once(
        async () => (await linear.run(linkPage, wanted, signal)).attachment_link_url.attachment,
        async () => {
          const [link] = (await look()).issue.attachments
          if (link) return link
          throw new Unavailable('Linear says that the page is linked, but does not show the link. Repeat the call.')
        },
      )
      return { ...about, attachment: record, changed: record.id === linkId }
    })
  },
})
