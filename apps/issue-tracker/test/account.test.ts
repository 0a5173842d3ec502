import { connect } from '@mcp-toolkits/testing'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, test } from 'vitest'
import { connect as connectTo } from '../src/connect.ts'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

const settings = { embedded: false, dataDirectory: '/nonexistent', readOnly: false, toolNames: 'safe' } as const

test.for([
  ['a key that Linear refuses', 401, { code: 'AUTHENTICATION_ERROR' }, 'ISSUE_TRACKER_API_KEY'],
  ['a scope that is missing', 400, { code: 'FORBIDDEN', type: 'forbidden' }, 'not allow this account'],
] as const)('%s: the error names who can fix it and the command that shows the account', async ([, status, extensions, text]) => {
  await using server = await workspace()
  const body = { errors: [{ message: 'Invalid scope: `write` required', extensions }] }
  server.emulator.faults.add({ action: { kind: 'status', status, body } })
  const error = await server.fails('IssueTracker.ListTeams')
  expect(error.message).toContain(text)
  expect(error.message).toContain('Linear says: "Invalid scope: `write` required".')
  expect(error.next).toEqual({ command: 'issue-tracker-mcp status' })
})

test('status shows the account and its workspace as Linear has them', async () => {
  const { fetch, close } = linearEmulator({ seed: 'edge-cases', apiKey: 'good' })
  const opened = await connectTo({ ...settings, environment: { ISSUE_TRACKER_API_KEY: 'good' } }, { fetch })
  await using server = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: 'good' } })
  const { user } = await server.call('IssueTracker.WhoAmI')
  const { name, email, organization }: Record<'name' | 'email', string> & { organization: { name: string } } = Object.assign(
    { name: '', email: '', organization: { name: '' } },
    user,
  )
  expect(name).toBeTruthy()
  expect(await opened.status()).toEqual({ account: `${name} <${email}>`, workspace: organization.name })
  await opened.close()
  await close()
})

test('status shows why a key is refused', async () => {
  const { fetch, close } = linearEmulator({ seed: 'edge-cases', apiKey: 'good' })
  const opened = await connectTo({ ...settings, environment: { ISSUE_TRACKER_API_KEY: 'bad' } }, { fetch })
  const { problem } = await opened.status()
  expect(problem).toContain('Linear refused the credentials')
  await opened.close()
  await close()
})
