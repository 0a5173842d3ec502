import type { AppVariables } from '@mcp-toolkits/server'

export const variables: AppVariables = { own: ['SAMPLE_SERVER_API_KEY', 'SAMPLE_SERVER_API_URL'], usual: {} }
