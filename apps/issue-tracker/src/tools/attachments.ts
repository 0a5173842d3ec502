import { InvalidInput, Message, NotFound, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { parseArtifactUrl } from '../code-hosts.ts'
import { defineTool } from '../context.ts'
import { linkUrl, issueWithLinks, urlFilters } from '../linear/issues/attachments.ts'
import { createOnce, createUnique } from '../linear/client.ts'
import { issueId } from '../linear/references.ts'
import { showsLine, showsUrl } from '../linear/stored.ts'
import { issueRef, withNotFoundHint } from '../resolve/not-found.ts'
import { creationNotice, foundNotice, noticesOf } from './notices.ts'
import { issueReference, noticesField, pageUrl, reference, title } from './parameters.ts'
import { IssueName, issueName, Link, linkOf } from './rows.ts'

export const linkCodeHostToIssue = defineTool({
  name: 'LinkCodeHostToIssue',
  aliases: ['LinkGithubToIssue'],
  title: 'Link code to an issue',
  description: Message.of(
    'Link a pull request (PR), merge request, commit or code-host issue to an issue: attach or connect its GitHub, GitLab or Bitbucket URL to the ticket. A second link to the same URL changes nothing.',
    sentence`For any other URL, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    code_host_url: reference('URL of the pull request, commit or issue.'),
    title: title('Made from the URL if omitted.').optional(),
  }),
  output: z.object({
    issue: IssueName,
    attachment: Link,
    kind: z.enum(['pull_request', 'commit', 'issue']),
    changed: z.boolean(),
    ...noticesField,
  }),
  example: { issue: 'ENG-21', code_host_url: 'https://github.com/acme/app/pull/12' },
  async run(args, { linear }, { operation }) {
    const artifact = parseArtifactUrl(args.code_host_url)
    if (!artifact) throw notAnArtifact(args)
    const pages = urlFilters([artifact.url, args.code_host_url])
    const id = issueId(args.issue)
    const findLink = (filters: typeof pages) => linear.send(issueWithLinks, { id, links: { or: filters } })
    const { attachments, ...issue } = (await withNotFoundHint(issueRef(id), findLink(pages))).issue
    const result = { issue: issueName(issue), kind: artifact.kind }
    const [present] = attachments
    if (present) {
      const hasOtherTitle = args.title !== undefined && args.title !== present.title
      const notice = hasOtherTitle
        ? `The URL is already linked, as ${quote(present.title, 80)}; its title was not changed.`
        : 'The URL is already linked; nothing was changed.'
      const found = foundNotice(await operation.claim(), { part: 'link', ids: [present.id], notice })
      return { ...result, attachment: linkOf(present), ...found }
    }
    const creation = await createUnique(operation, async (identity) => {
      const link = { id: identity.uuid('link'), issueId: issue.id, url: artifact.url, title: args.title ?? artifact.title }
      return createOnce(
        async () => (await linear.send(linkUrl, link)).attachment_link_url.attachment,
        async () => {
          const [existing] = (await findLink([...pages, { id: { eq: link.id } }])).issue.attachments
          if (existing) return existing
          throw new NotFound('Linear accepted the link but does not return it. Retry the call: it cannot create a duplicate.')
        },
      )
    })
    const { record, wasCreatedEarlier } = creation.result
    const changed = record.id === creation.identity.uuid('link')
    const shown = { code_host_url: showsUrl(artifact.url, record.url), title: showsLine(args.title, record.title) }
    const confirmed = changed && !wasCreatedEarlier ? confirmCreated('Linear', shown) : undefined
    return {
      ...result,
      attachment: linkOf(record),
      changed,
      ...noticesOf(changed ? creationNotice(creation, wasCreatedEarlier) : undefined, confirmed),
    }
  },
})

interface LinkArguments {
  readonly issue: string
  readonly code_host_url: string
  readonly title?: string | undefined
}

/** The error for text that is not an artifact's URL; it names the tool that attaches any other URL. */
function notAnArtifact({ issue, code_host_url: url, title: attachment_title }: LinkArguments): InvalidInput {
  const text = `${quote(url, 80)} is not the URL of a pull request, commit or issue on a code host. Expected forms: https://github.com/owner/repo/pull/12, …/commit/1a2b3c4, …/issues/7, or those of GitLab, Bitbucket and self-hosted servers.`
  const pages = ['pull', 'issues'].map((page) => url.replace(/^([\w.-]+\/[\w.-]+)#(\d+)$/, `https://github.com/$1/${page}/$2`))
  const suggestions = pages.filter((each) => each !== url).map((value) => ({ value, parameter: 'code_host_url', confidence: 0.6 }))
  if (!pageUrl.safeParse(url).success) return new InvalidInput(text, { suggestions })
  const tool = 'IssueTracker.UpdateIssue'
  return new InvalidInput(Message.of(text, sentence`To attach any other URL, use ${{ tool }} with attachment_url.`), {
    next: { tool, arguments: { issue_id: issue, attachment_url: url, ...(attachment_title !== undefined && { attachment_title }) } },
  })
}
