import type { Distribution } from '../../scripts/distribution/types.ts'

export const distribution: Distribution = {
  summary: 'Find, arrange, download, upload and share files in Google Drive, by path, id or link.',
  variables: [
    {
      name: 'FILE_STORAGE_ACCESS_TOKEN',
      description: 'A Google access token with the drive.file or drive scope, for hosts that manage tokens themselves.',
      secret: true,
    },
    {
      name: 'FILE_STORAGE_SERVICE_ACCOUNT',
      description:
        'The JSON key of a Google service account, for unattended agents. FILE_STORAGE_SERVICE_ACCOUNT_FILE takes the path of the key file instead.',
      secret: true,
    },
    {
      name: 'FILE_STORAGE_SERVICE_ACCOUNT_SUBJECT',
      description: 'The email of the person the service account acts for (domain-wide delegation). When unset, it acts as itself.',
    },
    {
      name: 'FILE_STORAGE_SERVICE_ACCOUNT_SCOPES',
      description: 'The scopes that the service account requests, separated by commas.',
      defaultValue: 'drive',
    },
    {
      name: 'FILE_STORAGE_CLIENT_ID',
      description: 'The client id of the OAuth client: "Desktop app" for login, "Web application" with --issuer.',
    },
    { name: 'FILE_STORAGE_CLIENT_SECRET', description: 'The client secret of that OAuth client.', secret: true },
    { name: 'FILE_STORAGE_API_URL', description: 'A root URL instead of Google’s.' },
    { name: 'FILE_STORAGE_AUTH_URL', description: 'A base URL for OAuth instead of Google’s.' },
    {
      name: 'FILE_STORAGE_ALLOW_PRIVATE_URLS',
      description: 'Non-public hosts that UploadFile and WriteFile may fetch from, separated by commas.',
    },
    {
      name: 'FILE_STORAGE_MAX_UPLOAD_BYTES',
      description: 'The largest file that UploadFile stores, in bytes; Drive’s own limit when unset.',
    },
    {
      name: 'FILE_STORAGE_CONTENT',
      description: 'How downloads return content: resource, structured (base64 in the result), or file (over HTTP, a link).',
      choices: ['resource', 'structured', 'file'],
      defaultValue: 'resource',
    },
    { name: 'FILE_STORAGE_DOWNLOAD_DIR', description: 'The folder for downloads; existing files are never overwritten.' },
  ],
  accountHint:
    'Create an OAuth client of the type "Desktop app" at Google; the documentation has the steps. Set FILE_STORAGE_CLIENT_ID and FILE_STORAGE_CLIENT_SECRET to its id and secret, and sign in once in a terminal: npx -y @mcp-toolkits/file-storage login. Then turn sample data off. The server finds the stored login and refreshes it automatically.',
  embeddedDescription: 'a small drive on this machine',
  recordNames: { Item: ['file', 'files', 'folder', 'item'] },
  privacy: {
    recipient: 'Google',
    policy: 'https://policies.google.com/privacy',
    statements: [
      'The arguments of tools are sent to Google Drive, under the account that you connect. UploadFile and WriteFile also fetch the URL in their arguments, without your credentials.',
      'Logins, the emulator’s data and the state of unfinished uploads are stored in the data directory on this machine. Your files are not.',
      "A downloaded file's content goes to the client that asked for it.",
    ],
  },
}
