import { assumedOn, type Page, type Sighting } from '@mcp-toolkits/emulator'

/** The day on which the guides were read, and the assumptions considered. */
const today = '2026-11-28'
export const assumed = assumedOn(today)

const guide = (name: string): Page => ({ url: `https://linear.app/developers/${name}`, date: '2026-11-22' })
export const graphqlGuide = guide('graphql')
export const rateLimits = guide('rate-limiting')
export const oauthGuide: Page = { ...guide('oauth-2-0-authentication'), date: today }
export const pagination = guide('pagination')
export const filtering = guide('filtering')
export const attachmentsGuide = guide('attachments')
export const webhooksGuide = guide('webhooks')
export const uploadsGuide = guide('how-to-upload-a-file-to-linear')
export const filesGuide = guide('file-storage-authentication')

/** The page for people, for a workspace on the Enterprise plan. */
export const privateTeams: Page = { url: 'https://linear.app/docs/private-teams', date: '2026-11-30' }

const sdk = 'https://github.com/linear/linear/blob/8335e09a17dd8aa351dace3d05a94a55e78dad2a/packages/sdk/src'

/** The schema that Linear publishes, whose comments describe types, fields and arguments. */
export const schema: Page = { url: `${sdk}/schema.graphql`, date: '2026-07-22' }
export const sdkErrors: Sighting = { by: "Linear's client", url: `${sdk}/error.ts`, date: '2026-07-22' }
export const sdkTests: Sighting = { by: "Linear's client, in its tests", url: `${sdk}/_tests/bundle.test.ts#L90-L128`, date: '2026-07-22' }
export const sdk98: Sighting = {
  by: "Linear's client 98.0.0",
  url: 'https://www.npmjs.com/package/@linear/sdk/v/98.0.0',
  date: '2026-11-22',
}

/** A standard that Linear's guides name. */
const standard = (path: string): Page => ({ url: `https://www.rfc-editor.org/rfc/${path}`, date: today })
export const oauthErrors = standard('rfc6749#section-4.1.2.1')
export const oauthRedirects = standard('rfc6749#section-3.1.2.4')
export const oauthScopes = standard('rfc6749#section-3.3')
export const oauthCodes = standard('rfc6749#section-4.1.2')
export const oauthTokenErrors = standard('rfc6749#section-5.2')
export const oauthRefresh = standard('rfc6749#section-6')
export const graphqlNulls: Page = { url: 'https://spec.graphql.org/October2021/#sec-Handling-Field-Errors', date: today }

/** A GitHub issue or pull request that quotes a response from Linear. */
export const thread = (repository: string, number: number, date: Page['date']): Sighting => ({
  by: repository,
  url: `https://github.com/${repository}/issues/${number}`,
  date,
})

/** A client's notes, whose author checks each claim against Linear before writing it down. */
export const sdkCli: Sighting = {
  by: 'zhendalf/linear-sdk-cli',
  url: 'https://github.com/zhendalf/linear-sdk-cli/blob/v0.5.1/CHANGELOG.md#011-2026-08-24',
  date: '2026-08-24',
}
export const nesszer: Sighting = {
  by: 'nesszer/linear-cli',
  url: 'https://github.com/nesszer/linear-cli/blob/51af446a4304dd6af481787d65a85053d54819d9/src/error.rs#L350-L371',
  date: '2026-07-25',
}
const schpetCli = 'https://github.com/schpet/linear-cli/blob/e855b51f9cf85ae26780453381b2b7b7bc343bcb'
export const schpet: Sighting = {
  by: 'schpet/linear-cli',
  url: `${schpetCli}/src/commands/project/project-description.ts#L6`,
  date: '2026-07-23',
}
export const schpetChangelog: Sighting = { by: 'schpet/linear-cli', url: `${schpetCli}/CHANGELOG.md#L368`, date: '2025-08-12' }
