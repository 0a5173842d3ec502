import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { embedded } from '../src/connect.ts'
import { issueTracker } from '../src/server.ts'

/** The server with its built-in emulator, and the emulator as another process would open it. */
async function openEmbedded() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'own-pages-'))
  const server = await connect(issueTracker, { embedded: true, dataDirectory, toolsets: ['attachments'] })
  const emulator = await embedded({ dataDirectory })
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    await emulator.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })
  return { ...server, emulator }
}

const calls = [
  ['IssueTracker_WhoAmI', {}],
  ['IssueTracker_GetIssue', { issue_id: 'ENG-1', include_attachments: false }],
  ['IssueTracker_CreateIssue', { team: 'ENG', title: 'One' }],
  ['IssueTracker_AddComment', { issue: 'ENG-1', body: 'One' }],
] as const

test('results of the embedded default contain no Linear URL', async () => {
  const { call } = await openEmbedded()
  for (const [name, args] of calls) {
    const text = JSON.stringify(await call(name, { ...args }))
    expect(text).not.toMatch(/"url":|linear\.app/)
  }
})

test('a person can be mentioned even if no page is served', async () => {
  const { call } = await openEmbedded()
  const { notices } = await call('IssueTracker_AddComment', { issue: 'ENG-34', body: '@sam.idowu, any news?' })
  expect(notices).toEqual(['The text mentions @sam.idowu (Sam Idowu).'])
  const { comments } = await call('IssueTracker_ListComments', { issue: 'ENG-34' })
  expect(comments).toMatchObject([{ body: '@sam.idowu, any news?' }, {}])
})

test('while a workspace is served, results link to it, and tools accept the URLs of its pages', async () => {
  const { call, fails, emulator } = await openEmbedded()
  const { url, close } = await emulator.listen({ port: 0 })
  const made = await call('IssueTracker_CreateIssue', { team: 'ENG', title: 'A page of ours' })
  const address = /"url":"([^"]+)"/.exec(JSON.stringify(made))?.[1] ?? ''
  expect(address.startsWith(`${url}/workspace/issue/ENG-`)).toBe(true)
  const html = await (await fetch(address)).text()
  expect(html).toContain('<code title="A tool, by issueCreate">CreateIssue</code>')
  for (const page of [address, address.replace('127.0.0.1', 'localhost')]) {
    await call('IssueTracker_GetIssue', { issue_id: page })
    await call('IssueTracker_UpdateIssue', { issue_id: page, title: `Read as ${page}` })
  }
  // The pages are in other workspaces.
  for (const page of ['http://127.0.0.1:1/workspace/issue/ENG-1/x', 'https://linear.app/another/issue/ENG-1'])
    expect((await fails('IssueTracker_UpdateIssue', { issue_id: page, title: 'x' })).code).toBe('invalid_input')
  await close()
  // A read accepts the same URLs as a write, and an error says how to refer to the issue here.
  const shared = { issue: 'https://linear.app/lodestar/issue/ENG-19/a-title' }
  for (const tool of ['ListComments', 'ListAttachments']) await call(`IssueTracker_${tool}`, shared)
  await call('IssueTracker_AddComment', { ...shared, body: 'x' })
  const other = await fails('IssueTracker_GetIssue', { issue_id: 'https://linear.app/another/issue/ENG-19' })
  expect(other.message).toContain('For "ENG-19" of "lodestar", pass that alone.')
  expect((await fails('IssueTracker_GetIssue', { issue_id: address })).message).toContain('is a page of the workspace "127.0.0.1:')
})

test('while a workspace is served, a person can open attached files; tools read them with and without it', async () => {
  const { call, emulator } = await openEmbedded()
  const file = { issue: 'ENG-21', content: 'log', file_name: 'a.log' }
  await call('IssueTracker_AttachFile', file)
  const { close } = await emulator.listen({ port: 0 })
  await call('IssueTracker_AttachFile', { ...file, file_name: 'b.log', comment: 'Another' })
  const { attachments } = await call('IssueTracker_ListAttachments', { issue: 'ENG-21' })
  const urls = [...JSON.stringify(attachments).matchAll(/"url":"([^"]+)","kind":"file"/g)].map(([, url = '']) => url)
  expect(urls).toHaveLength(3)
  for (const url of urls) expect((await fetch(url)).status).toBe(200)
  for (const attachment of urls) await call('IssueTracker_ReadAttachment', { issue: 'ENG-21', attachment })
  await close()
  for (const attachment of ['Privacy answers.csv', 'a.log', 'b.log'])
    await call('IssueTracker_ReadAttachment', { issue: 'ENG-21', attachment })
})
