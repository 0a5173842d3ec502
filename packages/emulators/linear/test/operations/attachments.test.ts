import { dig } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

/** Sends a mutation for the issue ENG-2, and returns its attachment, or why the mutation was refused. */
async function link(mutation: string, args: string) {
  const { ask } = openUnlimited()
  const { data, errors } = await ask(`mutation { made: ${mutation}(issueId: "ENG-2", ${args}) { attachment { url sourceType } } }`)
  return errors.length > 0 ? dig(errors, '0.extensions.userPresentableMessage') : dig(data, 'made.attachment')
}

describe('links to other services', () => {
  it.for([
    ['attachmentLinkGitHubPR', 'github', 'https://github.com/acme/web/pull/7'],
    ['attachmentLinkGitHubPR', 'github', 'https://github.acme.example/acme/web/pull/7/files'],
    ['attachmentLinkGitHubIssue', 'github', 'https://github.com/acme/web/issues/7'],
    ['attachmentLinkSlack', 'slack', 'https://acme.slack.com/archives/C01/p1600000000000000'],
    ['attachmentLinkSalesforce', 'salesforce', 'https://acme.lightning.force.com/lightning/r/Case/500/view'],
  ] as const)('%s keeps the source %s of %s', covers('attachments/services'), async ([mutation, sourceType, url]) => {
    expect(await link(mutation, `url: "${url}"`)).toEqual({ url, sourceType })
  })

  it('take what else the service needs', covers('attachments/services'), async () => {
    const merge = 'https://gitlab.com/acme/web/-/merge_requests/3'
    const args = `url: "${merge}", number: 3, projectPathWithNamespace: "acme/web"`
    expect(await link('attachmentLinkGitLabMR', args)).toEqual({ url: merge, sourceType: 'gitlab' })
    const message = 'https://discord.com/channels/1/2/3'
    const ids = `url: "${message}", channelId: "2", messageId: "3"`
    expect(await link('attachmentLinkDiscord', ids)).toEqual({ url: message, sourceType: 'discord' })
  })

  it.for([
    ['attachmentLinkGitHubPR', 'no address', 'url must be a URL address.'],
    ['attachmentLinkGitHubPR', 'https://github.com/acme/web/issues/7', 'url must be the URL of a GitHub pull request.'],
    ['attachmentLinkGitHubIssue', 'https://github.com/acme/web/pull/7', 'url must be the URL of a GitHub issue.'],
    ['attachmentLinkSlack', 'https://slack.example/archives/C01', 'url must be the URL of a Slack message.'],
    ['attachmentLinkSalesforce', 'https://a.example/', 'url must be the URL of a Salesforce page.'],
  ] as const)('%s refuses %s', covers('attachments/services'), async ([mutation, url, why]) => {
    expect(await link(mutation, `url: "${url}"`)).toBe(why)
  })
})
