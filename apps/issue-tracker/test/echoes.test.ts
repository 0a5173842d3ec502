import { ManualClock } from '@mcp-toolkits/core/testing'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, echoingVendors, expectNoEcho, withAuthorization } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'

const token = 'canary+token/0123456789=='
const calls = [
  ['IssueTracker_WhoAmI', {}],
  ['IssueTracker_ListTeams', {}],
  ['IssueTracker_ListIssues', { team: 'ENG', limit: 3 }],
  ['IssueTracker_CreateIssue', { team: 'ENG', title: 'Paint the bike shed' }],
] as const

test.for(echoingVendors((message) => ({ errors: [{ message, extensions: { userPresentableMessage: message } }] })))(
  'does not show the token to a model or in the log when Linear repeats it in $title',
  async ({ title, fetch }) => {
    const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_test' })
    const real = withAuthorization(emulator.fetch, 'lin_api_test')
    const environment = { ISSUE_TRACKER_ACCESS_TOKEN: token }
    await using server = await connect(issueTracker, { fetch: fetch(real), clock: new ManualClock(), environment })
    const shown = await expectNoEcho(server, calls, token)
    if (title.startsWith('the texts')) for (const text of shown.slice(0, 3)) expect(text).toContain('[secret]')
    await emulator.close()
  },
)
