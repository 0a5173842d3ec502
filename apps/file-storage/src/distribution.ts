import type { Distribution } from '@mcp-toolkits/server/distribution'

export const distribution: Distribution = {
  summary: 'Find, arrange, download, upload and share files in Google Drive, by path, id or link.',
  variables: [
    {
      name: 'FILE_STORAGE_ACCESS_TOKEN',
      about: 'A Google access token with the scope drive.file or drive, for hosts that manage tokens themselves.',
      secret: true,
    },
    { name: 'FILE_STORAGE_CLIENT_ID', about: 'The OAuth client that login asks for, of the type "Desktop app".' },
    { name: 'FILE_STORAGE_CLIENT_SECRET', about: 'The secret of that client.', secret: true },
    { name: 'FILE_STORAGE_API_URL', about: 'A root URL in place of Google’s.' },
    { name: 'FILE_STORAGE_AUTH_URL', about: 'OAuth endpoints in place of Google’s.' },
    {
      name: 'FILE_STORAGE_ALLOW_PRIVATE_URLS',
      about: 'Hosts that UploadFile may fetch although they are not public, separated by commas.',
    },
  ],
  accountHint:
    'Make an OAuth client of the type "Desktop app" at Google; the documentation has the steps. Sign in once in a terminal, with FILE_STORAGE_CLIENT_ID and FILE_STORAGE_CLIENT_SECRET set to it: npx -y @mcp-toolkits/file-storage login. Then switch practice data off. The server finds the login by itself and renews it.',
  embeddedDescription: 'a small drive on this machine',
  recordNames: { Item: ['file', 'files', 'folder', 'item'] },
  privacy: {
    recipient: 'Google',
    policy: 'https://policies.google.com/privacy',
    statements: [
      'What a tool is called with is sent to Google Drive, as the account that you connect. UploadFile also fetches the address that it is given, without your credentials.',
      'Logins, the embedded drive and notes of unfinished uploads are kept in the data directory on this machine. Files are not.',
      'The content of a file that is downloaded goes to the client that asked for it.',
    ],
  },
}
