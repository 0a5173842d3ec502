import { assumedOn, type Day, documented, seen } from '@mcp-toolkits/emulator'

/** The day on which the OAuth guide and the standards were read, and the assumptions considered. */
const today = '2026-11-28'

export const assumed = assumedOn(today)

const guide = (name: string, date: Day = '2026-11-22') => documented(`https://linear.app/developers/${name}`, date)
export const graphqlGuide = guide('graphql')
export const rateLimits = guide('rate-limiting')
export const oauthGuide = guide('oauth-2-0-authentication', today)
export const pagination = guide('pagination')
export const filtering = guide('filtering')
export const attachmentsGuide = guide('attachments')
export const webhooksGuide = guide('webhooks')
export const uploadsGuide = guide('how-to-upload-a-file-to-linear')
export const filesGuide = guide('file-storage-authentication')

/** The user documentation, for a workspace on the Enterprise plan. */
export const privateTeams = documented('https://linear.app/docs/private-teams', '2026-11-30')

const sdk = 'https://github.com/linear/linear/blob/8335e09a17dd8aa351dace3d05a94a55e78dad2a/packages/sdk/src'

/** The schema that Linear publishes, whose comments describe types, fields and arguments. */
export const schema = documented(`${sdk}/schema.graphql`, '2026-07-22')
export const sdkErrors = seen("Linear's client", `${sdk}/error.ts`, '2026-07-22')
export const sdkTests = seen("Linear's client, in its tests", `${sdk}/_tests/bundle.test.ts#L90-L128`, '2026-07-22')
export const sdk98 = seen("Linear's client 98.0.0", 'https://www.npmjs.com/package/@linear/sdk/v/98.0.0', '2026-11-22')

/** A standard that Linear's guides name. */
const standard = (path: string) => documented(`https://www.rfc-editor.org/rfc/${path}`, today)
export const oauthErrors = standard('rfc6749#section-4.1.2.1')
export const oauthRedirects = standard('rfc6749#section-3.1.2.4')
export const oauthScopes = standard('rfc6749#section-3.3')
export const oauthCodes = standard('rfc6749#section-4.1.2')
export const oauthTokenErrors = standard('rfc6749#section-5.2')
export const oauthRefresh = standard('rfc6749#section-6')
export const graphqlNulls = documented('https://spec.graphql.org/October2021/#sec-Handling-Field-Errors', today)

/** A GitHub issue or pull request that quotes a response from Linear. */
const thread = (repository: string, number: number, date: Day) =>
  seen(repository, `https://github.com/${repository}/issues/${number}`, date)
export const appliedResearch = thread('aaryandas/applied-research', 71, '2026-09-09')
export const assembled613 = thread('assembledhq/143', 613, '2026-04-28')
export const assembled816 = thread('assembledhq/143', 816, '2026-05-06')
export const catalyst = thread('coalesce-labs/catalyst', 2059, '2026-06-15')
export const claudeCode = thread('anthropics/claude-code', 45410, '2026-04-08')
export const cyrus = thread('cyrusagents/cyrus', 24, '2025-06-01')
export const joa23 = thread('joa23/linear-cli', 63, '2026-08-06')
export const linear351 = thread('linear/linear', 351, '2025-03-12')
export const linear895 = thread('linear/linear', 895, '2025-10-07')
export const linearis = thread('linearis-oss/linearis', 227, '2026-06-10')
export const openSwarm = thread('Intrect-io/OpenSwarm', 442, '2026-08-28')
export const perk = thread('mattgiles/perk', 562, '2026-06-16')
export const printingPress = thread('mvanhorn/printing-press-library', 1013, '2026-06-03')

/** A client's notes, whose author checks each claim against Linear before writing it down. */
export const sdkCli = seen(
  'zhendalf/linear-sdk-cli',
  'https://github.com/zhendalf/linear-sdk-cli/blob/v0.5.1/CHANGELOG.md#011-2026-08-24',
  '2026-08-24',
)
export const nesszer = seen(
  'nesszer/linear-cli',
  'https://github.com/nesszer/linear-cli/blob/51af446a4304dd6af481787d65a85053d54819d9/src/error.rs#L350-L371',
  '2026-07-25',
)
const schpetCli = 'https://github.com/schpet/linear-cli/blob/e855b51f9cf85ae26780453381b2b7b7bc343bcb'
export const schpet = seen('schpet/linear-cli', `${schpetCli}/src/commands/project/project-description.ts#L6`, '2026-07-23')
export const schpetChangelog = seen('schpet/linear-cli', `${schpetCli}/CHANGELOG.md#L368`, '2025-08-12')
