import type { AccountConfig } from '@mcp-toolkits/server/account'
import { Secret } from '@mcp-toolkits/core/upstream'

/** The access token of the built-in emulator; nothing else accepts it. */
export const embeddedToken = new Secret('drive-embedded', { isRedacted: false })

/** Prefix of Google's scopes, except OpenID's: https://developers.google.com/identity/protocols/oauth2/scopes */
const scopePrefix = 'https://www.googleapis.com/auth/'
const openIdScopes = ['openid', 'email', 'profile']

/** Account access to Google Drive. OAuth: https://developers.google.com/identity/protocols/oauth2/native-app */
export const account: AccountConfig = {
  server: 'file-storage',
  // Followed by `drive/v3/…` or `upload/drive/v3/…`: https://developers.google.com/workspace/drive/api/reference/rest/v3
  api: { url: 'https://www.googleapis.com', variable: 'FILE_STORAGE_API_URL' },
  credentials: [
    {
      variable: 'FILE_STORAGE_ACCESS_TOKEN',
      noun: 'token',
      scheme: 'Bearer',
      prefixes: { 'ya29.': 'FILE_STORAGE_ACCESS_TOKEN', 'GOCSPX-': 'FILE_STORAGE_CLIENT_SECRET' },
    },
  ],
  provider: {
    name: 'Google',
    endpoints: {
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      revocation: 'https://oauth2.googleapis.com/revoke',
    },
    // Google does not replace refresh tokens: https://developers.google.com/identity/protocols/oauth2/native-app#offline
    canRepeatRefresh: true,
    // Google revokes all of the account's tokens for this application: https://github.com/Significant-Gravitas/AutoGPT/pull/10493
    revokesOneGrant: false,
    scopeSeparator: ' ',
    scopes: {
      default: ['drive.file', 'userinfo.profile', 'userinfo.email'],
      // Google may grant these under their OpenID names: https://developers.google.com/identity/openid-connect/openid-connect#scope-param
      includes: { drive: ['drive.file', 'drive.readonly'], 'userinfo.email': ['email'], 'userinfo.profile': ['profile'] },
    },
    scopeSpelling: {
      encode: (scope) => (openIdScopes.includes(scope) || URL.canParse(scope) ? scope : scopePrefix + scope),
      decode: (spelled) => (spelled.startsWith(scopePrefix) ? spelled.slice(scopePrefix.length) : spelled),
    },
    // Without a new consent, Google sends no refresh token to an application that the person has already allowed.
    authorizationParameters: { access_type: 'offline', prompt: 'consent' },
  },
  variables: {
    clientId: 'FILE_STORAGE_CLIENT_ID',
    clientSecret: 'FILE_STORAGE_CLIENT_SECRET',
    authUrl: 'FILE_STORAGE_AUTH_URL',
  },
  serviceAccount: {
    key: 'FILE_STORAGE_SERVICE_ACCOUNT',
    subject: 'FILE_STORAGE_SERVICE_ACCOUNT_SUBJECT',
    scopes: 'FILE_STORAGE_SERVICE_ACCOUNT_SCOPES',
    defaultScopes: ['drive'],
    advice: (scopes) =>
      `Ask the person who runs this server to ${scopes ? `set FILE_STORAGE_SERVICE_ACCOUNT_SCOPES to ${scopes.join(',')}` : 'check FILE_STORAGE_SERVICE_ACCOUNT'}.`,
  },
  registration:
    'It is the client id of an OAuth client of the type "Desktop app", which you create in the Google Cloud console (APIs & Services, Credentials) in a project with the Google Drive API; its secret goes into FILE_STORAGE_CLIENT_SECRET.',
  webRegistration:
    'Create it in the Google Cloud console (APIs & Services, Credentials) with the type "Web application", in a project with the Google Drive API; its secret goes into FILE_STORAGE_CLIENT_SECRET.',
  whoAmI: async (api, signal) => (await import('./drive/about.ts')).whoAmIAt(api, signal),
  scopeExempt: ['WhoAmI'],
}
