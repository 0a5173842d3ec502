import { readSecret, Secret } from '@mcp-toolkits/core'
import type { AccountSource } from '@mcp-toolkits/server/account-source'

/** The access token of the embedded default, which only its own emulator takes. */
export const embeddedToken = new Secret('drive-embedded')

/** Names hosts that may be fetched although they are not public. */
export const privateUrlsVariable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'

export const source: AccountSource = {
  server: 'file-storage',
  // `drive/v3/…` and `upload/drive/v3/…` follow: https://developers.google.com/workspace/drive/api/reference/rest/v3
  api: { url: 'https://www.googleapis.com', variable: 'FILE_STORAGE_API_URL' },
  variable: 'FILE_STORAGE_ACCESS_TOKEN',
  authorization(environment) {
    const token = readSecret(environment, 'FILE_STORAGE_ACCESS_TOKEN', 'token')
    return token && `Bearer ${token.reveal()}`
  },
}
