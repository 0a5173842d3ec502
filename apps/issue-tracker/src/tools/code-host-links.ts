import { InvalidInput, Unavailable } from '@mcp-toolkits/core'
import * as z from 'zod'
import { artifactAt } from '../code-hosts.ts'
import { defineTool } from '../context.ts'
import { Link, linkPage, linksOf, pagesAt } from '../linear/links.ts'
import { once } from '../linear/once.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed, quoted } from '../linear/references.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { issueReference, reference } from './parameters.ts'
import { address, title } from './writing.ts'

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
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const artifact = artifactAt(args.code_host_url)
    if (!artifact) throw notAnArtifact(args.issue, args.code_host_url)
    const pages = pagesAt([artifact.url, args.code_host_url])
    const id = issueNamed(args.issue)
    const look = () => linear.run(linksOf, { id, pages }, signal)
    const { attachments, ...issue } = (await sought(issueSought(id), look())).issue
    const about = { issue, kind: artifact.kind }
    if (attachments[0]) return { ...about, attachment: attachments[0], changed: false }
    return identities.run(
      ['LinkCodeHostToIssue', args],
      async (linkId) => {
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
      },
      signal,
    )
  },
})

/** Any other page can be attached all the same, if it is one. */
function notAnArtifact(issue: string, url: string): InvalidInput {
  const text = `${quoted(url)} is not the address of a pull request, commit or issue of a code host. Expected forms: https://github.com/owner/repo/pull/12, …/commit/1a2b3c4, …/issues/7, or those of GitLab, Bitbucket and self-hosted servers.`
  if (!address.safeParse(url).success) return new InvalidInput(text)
  return new InvalidInput(`${text} To attach any other URL, use IssueTracker.UpdateIssue with attachment_url.`, {
    next: { tool: 'IssueTracker.UpdateIssue', arguments: { issue_id: issue, attachment_url: url } },
  })
}
