import { readSecret, Secret } from '@mcp-toolkits/core'
import type { AccountSource } from '@mcp-toolkits/server/account-source'

/** The key of the embedded default, which only its own emulator takes. */
export const embeddedKey = new Secret('lin_api_embedded')

export const source: AccountSource = {
  server: 'issue-tracker',
  // https://linear.app/developers/graphql
  api: { url: 'https://api.linear.app/graphql', variable: 'ISSUE_TRACKER_API_URL' },
  variable: 'ISSUE_TRACKER_API_KEY',
  // A personal key goes into the header as it is, an OAuth token behind `Bearer`: https://linear.app/developers/graphql#authentication
  authorization(environment) {
    const key = readSecret(environment, 'ISSUE_TRACKER_API_KEY')
    const token = readSecret(environment, 'ISSUE_TRACKER_ACCESS_TOKEN', 'token')
    return key?.reveal() ?? (token && `Bearer ${token.reveal()}`)
  },
}
