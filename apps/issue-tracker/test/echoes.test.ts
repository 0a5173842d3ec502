import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, echoingVendors, expectNoSecrets } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'

const token = 'canary+token/0123456789=='
const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['WhoAmI', {}],
  ['ListTeams', {}],
  ['ListIssues', { team: 'ENG', limit: 3 }],
  ['CreateIssue', { team: 'ENG', title: 'Paint the bike shed' }],
]

test.for(echoingVendors((message) => ({ errors: [{ message, extensions: { userPresentableMessage: message } }] })))(
  'does not show the token to a model or in the log when Linear repeats it in $title',
  async ({ title, fetch }) => {
    const emulator = linearEmulator({ apiKey: 'lin_api_test' })
    const real: typeof emulator.fetch = async (input, init) => {
      const request = new Request(input, init)
      request.headers.set('authorization', 'lin_api_test')
      return emulator.fetch(request)
    }
    const environment = { ISSUE_TRACKER_ACCESS_TOKEN: token }
    await using server = await connect(issueTracker, { fetch: fetch(real), clock: new ManualClock(), environment })
    const shown: string[] = []
    for (const [tool, args] of calls) shown.push(JSON.stringify(await server.result(`IssueTracker_${tool}`, args)))
    const forms = [token, token.slice(0, 12), encodeURIComponent(token), Buffer.from(`${token}:`).toString('base64').slice(0, -2)]
    expectNoSecrets([...shown, ...server.logLines], forms)
    if (title.startsWith('the texts')) for (const text of shown.slice(0, 3)) expect(text).toContain('[secret]')
    await emulator.close()
  },
)
