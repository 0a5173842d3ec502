import type { SignIn } from '@mcp-toolkits/server'
import { apiUrlFrom } from '@mcp-toolkits/server/account-source'
import { source } from './upstream.ts'

/** What Google's names of scopes begin with, apart from those of OpenID. https://developers.google.com/identity/protocols/oauth2/scopes */
const scopeBase = 'https://www.googleapis.com/auth/'

/** Scopes that have no base. */
const bare = ['openid', 'email', 'profile']

/** How people sign in to Google: https://developers.google.com/identity/protocols/oauth2/native-app */
export const signIn: SignIn = {
  provider: {
    name: 'Google',
    endpoints: {
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      revocation: 'https://oauth2.googleapis.com/revoke',
    },
    scopeSeparator: ' ',
    scopes: {
      asked: ['drive.file', 'userinfo.profile', 'userinfo.email'],
      // Those of OpenID are granted under their names here, too: https://developers.google.com/identity/openid-connect/openid-connect#scope-param
      within: { drive: ['drive.file', 'drive.readonly'], 'userinfo.email': ['email'], 'userinfo.profile': ['profile'] },
    },
    spelling: {
      written: (scope) => (bare.includes(scope) || URL.canParse(scope) ? scope : scopeBase + scope),
      read: (written) => (written.startsWith(scopeBase) ? written.slice(scopeBase.length) : written),
    },
    // Without a new consent, Google gives whoever has consented before nothing to renew the login with.
    parameters: { access_type: 'offline', prompt: 'consent' },
  },
  variables: {
    clientId: 'FILE_STORAGE_CLIENT_ID',
    clientSecret: 'FILE_STORAGE_CLIENT_SECRET',
    authUrl: 'FILE_STORAGE_AUTH_URL',
    before: ['FILE_STORAGE_ACCESS_TOKEN'],
  },
  registration:
    'It is the client id of an OAuth client of the type "Desktop app", which you create in the Google Cloud console (APIs & Services, Credentials) in a project with the Google Drive API; its secret goes into FILE_STORAGE_CLIENT_SECRET.',
  apiUrl: (settings, otherwise) => apiUrlFrom(source, settings, otherwise),
  whoAmI: async (api, signal) => (await import('./person.ts')).whoIsAt(api, signal),
  neverRefused: ['WhoAmI'],
}
