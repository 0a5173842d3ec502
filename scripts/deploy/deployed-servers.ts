/** One server's deployment for a company's people. */
export interface DeployedServer {
  readonly app: string
  /** The host name at which people and clients reach the server. */
  readonly host: string
  /** Variables whose values are this server's secrets, with the secrets' names. */
  readonly secrets: Readonly<Record<string, string>>
}

/** Placeholder that readers replace with their own domain. */
export const domain = 'example.com'

export const issuer = `https://login.${domain}/realms/company`

const signIn = { MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'sign-in-client-id', MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: 'sign-in-client-secret' }

/** Variables whose values are secrets that all servers share, with the secrets' names. */
export const sharedSecrets = { MCP_TOOLKITS_STORE: 'database-url', MCP_TOOLKITS_VAULT_KEYS: 'vault-keys' }

export const deployedServers: readonly DeployedServer[] = [
  { app: 'event-pipeline', host: `events.${domain}`, secrets: { ...signIn, EVENT_PIPELINE_API_KEY: 'api-key' } },
  {
    app: 'file-storage',
    host: `files.${domain}`,
    secrets: { ...signIn, FILE_STORAGE_CLIENT_ID: 'client-id', FILE_STORAGE_CLIENT_SECRET: 'client-secret' },
  },
  {
    app: 'issue-tracker',
    host: `tracker.${domain}`,
    secrets: { ...signIn, ISSUE_TRACKER_CLIENT_ID: 'client-id', ISSUE_TRACKER_CLIENT_SECRET: 'client-secret' },
  },
]
