import path from 'node:path'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connectLibrary } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { createServer, type ServerOptions } from '../src/index.ts'
import { setUpAccount } from './accounts/setup.ts'

const linear = linearEmulator({ seed: 'edge-cases', apiKey: 'key-of-anna', accessToken: 'token-of-anna' })
const open = (options: ServerOptions) => connectLibrary((fetch) => createServer({ ...options, fetch }), linear.fetch)

test.for<[ServerOptions, string]>([
  [{ apiKey: 'key-of-anna' }, 'POST https://api.linear.app/graphql key-of-anna'],
  [{ accessToken: 'token-of-anna' }, 'POST https://api.linear.app/graphql Bearer token-of-anna'],
  [{ apiKey: 'key-of-anna', apiUrl: 'https://linear.example/graphql' }, 'POST https://linear.example/graphql key-of-anna'],
])('%j connects to that account', async ([options, request]) => {
  await using server = await open(options)
  expect(await server.call('IssueTracker_GetIssue', { issue_id: 'ENG-1' })).toContain('"identifier":"ENG-1"')
  expect(server.requests).toEqual([request])
})

test('two servers in one process do not mix their accounts, and errors mention options', async () => {
  await using anna = await open({ apiKey: 'key-of-anna' })
  await using ben = await open({ apiKey: 'key-of-ben' })
  const [hers, his] = await Promise.all([anna, ben].map((server) => server.call('IssueTracker_WhoAmI')))
  expect(hers).not.toContain('"error"')
  expect(his).toContain('"code":"unauthenticated"')
  expect(his).toContain('has to replace the key in apiKey, or the token in accessToken.')
  expect(his).not.toMatch(/ISSUE_TRACKER|issue-tracker-mcp|key-of/)
  expect(anna.requests.every((request) => request.endsWith(' key-of-anna'))).toBe(true)
  expect(ben.requests.every((request) => request.endsWith(' key-of-ben'))).toBe(true)
})

test('uses a stored login only if its profile is named', async () => {
  const { login, file, url } = await setUpAccount()
  await login(['--profile', 'work'])
  const dataDirectory = path.dirname(path.dirname(file))
  expect(() => createServer({ dataDirectory })).toThrow('needs an account: give apiKey or accessToken or profile')
  expect(() => createServer({ dataDirectory, profile: 'home' })).toThrow('No login is stored under the profile "home".')
  await using server = await connectLibrary((fetch) => createServer({ dataDirectory, profile: 'work', fetch }), fetch)
  expect(await server.call('IssueTracker_WhoAmI')).toContain('robin.vance@lodestar.example')
  expect(server.requests[0]).toContain(`POST ${url}/graphql Bearer `)
})
