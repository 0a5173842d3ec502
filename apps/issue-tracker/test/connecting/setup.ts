import { environmentTarget } from '@mcp-toolkits/server/account'
import { linearEmulator, type LinearClient, type LinearEmulatorOptions } from '@mcp-toolkits/linear-emulator'
import { type PeopleServersOptions, startPeopleServers } from '@mcp-toolkits/testing/people'
import { onTestFinished } from 'vitest'
import { account } from '../../src/account.ts'

export { account }
export { atCallback, atSignedIn, personAt, titleOf } from '@mcp-toolkits/testing/people'

/** Our client registration with Linear. */
const linearClient: LinearClient = {
  id: 'toolkits',
  name: 'Issue Tracker of Lodestar',
  secret: 'linear-client-secret',
  redirectUris: ['http://127.0.0.1/connect/callback'],
}

interface Before {
  remember?: () => Promise<void>
  whoAmI?: () => Promise<void>
}

interface CompanyOptions extends Partial<PeopleServersOptions> {
  /** The lifetimes of Linear's tokens. */
  readonly lifetimes?: LinearEmulatorOptions['lifetimes']
}

/** A company with an identity provider, an emulated Linear, and replicas where its people connect accounts. */
export async function startCompany({ lifetimes, ...options }: CompanyOptions = {}) {
  const emulator = linearEmulator({ seed: 'edge-cases', clients: [linearClient], ...(lifetimes && { lifetimes }) })
  onTestFinished(() => emulator.close())
  const linear = await emulator.listen()
  const environment = {
    ISSUE_TRACKER_CLIENT_ID: linearClient.id,
    ISSUE_TRACKER_CLIENT_SECRET: linearClient.secret,
    ISSUE_TRACKER_AUTH_URL: linear.url,
    ISSUE_TRACKER_API_URL: `${linear.url}/graphql`,
  }
  const target = environmentTarget(account, { embedded: false, dataDirectory: '/nonexistent', environment })
  if (!target) throw new Error('The environment names a client.')
  const before: Before = {}
  const company = await startPeopleServers({
    server: { name: 'issue-tracker', title: 'Issue Tracker' },
    account: { config: account, target },
    fetch: async (input, init) => {
      const request = new Request(input, init)
      if (request.url.endsWith('/graphql')) await before.whoAmI?.()
      return fetch(request)
    },
    beforeRemember: async () => before.remember?.(),
    ...options,
  })
  /** `before` has functions to run just before the server reads the account or stores the person. */
  return { ...company, emulator, linear, before, environment }
}
