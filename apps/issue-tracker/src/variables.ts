import type { Environment } from '@mcp-toolkits/core/upstream'
import type { AppVariables } from '@mcp-toolkits/server'

const privateUrlsVariable = 'ISSUE_TRACKER_ALLOW_PRIVATE_URLS'

/** Non-public hosts that files may be fetched from. */
export function privateHosts({ [privateUrlsVariable]: hosts = '' }: Environment): readonly string[] {
  return hosts
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '')
}

export const variables: AppVariables = {
  own: [
    'ISSUE_TRACKER_API_KEY',
    'ISSUE_TRACKER_ACCESS_TOKEN',
    'ISSUE_TRACKER_API_URL',
    'ISSUE_TRACKER_AUTH_URL',
    'ISSUE_TRACKER_CLIENT_ID',
    'ISSUE_TRACKER_CLIENT_SECRET',
    privateUrlsVariable,
  ],
  usual: {
    LINEAR_API_KEY: 'ISSUE_TRACKER_API_KEY',
    LINEAR_API_TOKEN: 'ISSUE_TRACKER_API_KEY',
    LINEAR_ACCESS_TOKEN: 'ISSUE_TRACKER_ACCESS_TOKEN',
    LINEAR_OAUTH_TOKEN: 'ISSUE_TRACKER_ACCESS_TOKEN',
    LINEAR_CLIENT_ID: 'ISSUE_TRACKER_CLIENT_ID',
    LINEAR_CLIENT_SECRET: 'ISSUE_TRACKER_CLIENT_SECRET',
  },
}
