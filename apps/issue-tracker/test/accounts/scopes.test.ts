import { expect, test } from 'vitest'
import { setUpAccount } from './setup.ts'

const create = ['IssueTracker.CreateIssue', { team: 'ENG', title: 'Sign in' }] as const
const comment = ['IssueTracker.AddComment', { issue: 'ENG-1', body: 'Hello' }] as const
const archive = ['IssueTracker.ArchiveIssue', { issue: 'ENG-1' }] as const

test('refuses a call before sending it when its scope is missing', async () => {
  const { login, server: open, command, requests } = await setUpAccount()
  await login(['--scopes', 'read'])
  const server = await open()
  const before = await requests('/graphql')
  const error = await server.fails(...create)
  expect(error).toMatchObject({
    code: 'forbidden',
    retryable: false,
    next: { command: 'issue-tracker-mcp login --scopes read,issues:create' },
  })
  expect(error.message).toBe(
    'IssueTracker_CreateIssue needs the scope issues:create, and this login has: read. Nothing was sent. Ask the person to run the command; the call then works without a restart.',
  )
  expect(await requests('/graphql')).toBe(before)
  await server.call('IssueTracker.ListTeams')
  await server.call('IssueTracker.WhoAmI')

  const { output } = await command(['status', '--json'])
  const message: unknown = JSON.parse(output)
  expect(message).toMatchObject({ scopes: ['read'] })
  expect(message).toHaveProperty('tools_lacking_a_scope')
  expect(output).toContain('IssueTracker_CreateIssue (issues:create)')
  expect(output).toContain('IssueTracker_ListInitiatives (initiative:read)')
  expect(output).not.toContain('IssueTracker_WhoAmI')
  expect(output).not.toContain('IssueTracker_ListTeams')
})

test('the command in the error makes the call succeed without a restart', async () => {
  const { login, server: open } = await setUpAccount()
  await login(['--scopes', 'read'])
  const server = await open()
  const { next } = await server.fails(...create)
  const [, , ...args] = next?.command?.split(' ') ?? []
  await login(args)
  await server.call(...create)
  expect(await server.fails(...archive)).toMatchObject({ next: { command: 'issue-tracker-mcp login --scopes read,issues:create,write' } })
})

test('a broad scope includes narrow ones, and a narrow one is enough for its tool', async () => {
  const { login, server: open } = await setUpAccount()
  const server = await open()
  await login(['--scopes', 'write'])
  const wide = await open()
  await wide.call(...create)
  await wide.call(...comment)
  expect(await wide.fails('IssueTracker.ListInitiatives')).toMatchObject({ code: 'forbidden' })
  await login(['--scopes', 'comments:create'])
  await wide.call(...comment)
  expect(await wide.fails(...create)).toMatchObject({ code: 'forbidden' })
  expect(await server.fails(...create)).toMatchObject({ code: 'forbidden' })
})

test('tries a call if the scopes of the credentials are unknown', async () => {
  const { server: open, requests } = await setUpAccount({ accessToken: 'lin_oauth_t', scopes: ['read'] })
  const server = await open({ environment: { ISSUE_TRACKER_ACCESS_TOKEN: 'lin_oauth_t' } })
  expect(await server.fails(...archive)).toMatchObject({ code: 'forbidden' })
  expect(await requests('/graphql')).toBeGreaterThan(0)
})
