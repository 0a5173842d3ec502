import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

test.for([
  [{ ISSUE_TRACKER_API_KEY: 'lin_oauth_canary' }, 'Put it into ISSUE_TRACKER_ACCESS_TOKEN'],
  [{ ISSUE_TRACKER_ACCESS_TOKEN: 'lin_api_canary' }, 'Put it into ISSUE_TRACKER_API_KEY'],
  [{ ISSUE_TRACKER_API_KEY: '"lin_api_canary"' }, 'contains quotation marks'],
  [{ ISSUE_TRACKER_API_KEY: 'LINEAR_API_KEY=lin_api_canary' }, 'holds NAME=value'],
  [{ ISSUE_TRACKER_API_KEY: 'AIzaCanary' }, 'holds a Google API key'],
] as const)('names the mistake in %j and sends nothing', async ([environment, mistake]) => {
  await using server = await workspace({ environment })
  const { code, message } = await server.fails('IssueTracker.WhoAmI')
  expect([code, server.requests()]).toEqual(['unauthenticated', 0])
  expect(message).toContain(mistake)
  expect(message).not.toContain('canary')
})
