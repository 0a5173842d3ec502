import { linearEmulator, type LinearEmulator } from '@mcp-toolkits/linear-emulator'
import { issueTracker } from '../../../../servers.ts'
import type { Refusal } from './faults.ts'
import { examplesOf, linesOf, tooManyRequests, toolsOf, type Vendor } from './vendor.ts'

const apiKey = 'lin_api_k3yOfTheReliabilitySuite'

const error = (message: string, extensions: object = {}) => ({ errors: [{ message, extensions }], data: null })

/** https://linear.app/developers/graphql#errors and https://linear.app/developers/rate-limiting */
const refusals: readonly Refusal[] = [
  {
    name: 'HTTP 400',
    class: 'permanent',
    code: 'invalid_input',
    status: 400,
    body: error('Argument Validation Error', { type: 'invalid input', code: 'INVALID_INPUT', userError: true }),
  },
  {
    name: 'HTTP 401',
    class: 'permanent',
    code: 'unauthenticated',
    status: 401,
    body: error('Authentication required, not authenticated', { type: 'authentication error', code: 'AUTHENTICATION_ERROR' }),
  },
  {
    name: 'HTTP 403: no permission',
    class: 'permanent',
    code: 'forbidden',
    status: 403,
    body: error('Forbidden', { type: 'forbidden', code: 'FORBIDDEN' }),
  },
  {
    name: 'HTTP 403: missing scope',
    class: 'permanent',
    code: 'forbidden',
    status: 400,
    body: error('Invalid scope: `write` required', { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 }),
  },
  {
    name: 'HTTP 403: plan',
    class: 'permanent',
    code: 'forbidden',
    status: 200,
    body: error('Usage limit exceeded', { type: 'feature not accessible', code: 'USAGE_LIMIT_EXCEEDED' }),
  },
  {
    name: 'HTTP 404',
    class: 'permanent',
    code: 'not_found',
    hasWayAround: true,
    status: 200,
    body: error('Entity not found: Team', { type: 'invalid input', code: 'INPUT_ERROR' }),
  },
  {
    name: 'HTTP 409',
    class: 'permanent',
    code: 'conflict',
    status: 200,
    body: error('conflict on insert of Issue', { type: 'invalid input', code: 'INPUT_ERROR' }),
  },
  ...tooManyRequests({ status: 429, body: error('Slow down') }),
  {
    name: 'vendor rate limit with a retry delay',
    class: 'limited',
    hintMs: 2_000,
    status: 400,
    headers: { 'retry-after': '2' },
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
  {
    name: 'vendor rate limit without a retry delay',
    class: 'limited',
    status: 400,
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
  {
    name: 'vendor quota used up',
    class: 'exhausted',
    hintMs: 600_000,
    status: 400,
    headers: { 'retry-after': '600' },
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
]

export const linear: Vendor = {
  server: issueTracker,
  tools: await toolsOf(issueTracker),
  secrets: [apiKey],
  refusals,
  async open(clock) {
    // A thousand rounds exceed Linear's hourly limits.
    const emulator = linearEmulator({ seed: 'company', apiKey, now: clock.now, limits: { requests: 1e6, points: 1e9 } })
    return {
      fetch: emulator.fetch,
      options: { apiKey },
      calls: await examplesOf(issueTracker),
      // Any response passes for a file, even a page, and a batch that was refused once is sent again in halves.
      decisive: { ReadAttachment: /\/graphql$/, BatchUpdateIssues: /\/graphql$/ },
      state: () => stateOf(emulator),
      changes: () => emulator.store.mutations().length,
      reset: emulator.reset,
      [Symbol.asyncDispose]: emulator.close,
    }
  },
}

function stateOf({ store }: LinearEmulator): string[] {
  const { issues, comments, attachments, relations, projects, projectUpdates, initiatives, projectLinks, notifications } = store
  const { milestones, projectStatuses, documents } = store
  const tables = { issues, comments, attachments, relations, projects, projectUpdates, initiatives, projectLinks, notifications }
  const planned = { milestones, projectStatuses, documents }
  const labels = issues().map(({ id, identifier }) => ({ identifier, labels: store.labelsOf(String(id)) }))
  const teams = projects().map(({ id, name }) => ({ name, teams: store.teamsOf(String(id)).length }))
  return [
    ...Object.entries({ ...tables, ...planned }).flatMap(([name, read]) => linesOf(name, read(), ['slugId', 'url'])),
    ...linesOf('labels', labels),
    ...linesOf('teams', teams),
  ].sort()
}
