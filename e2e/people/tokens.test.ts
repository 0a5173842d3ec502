import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TokenIssuer } from '../../packages/team/test/token-issuer.ts'
import { tokenMatrix } from '../../packages/team/test/token-matrix.ts'
import type { HttpRequest } from '../../packages/testing/src/processes/protocol.ts'
import { type HttpProcess, startHttp } from '../http-process.ts'
import { legacy, modern, parseMessageBody } from '../../packages/testing/src/processes/protocol.ts'
import { startTokenIssuer } from './token-server.ts'

const publicUrl = 'https://tools.example'
const audience = `${publicUrl}/mcp`
const vaultKeys = { MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}` }
const signIn = { MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'server', MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: 'canary-sign-in-secret' }

/** A call that each token may make, and one that needs more. */
const apps = [
  {
    app: 'event-pipeline',
    environment: { EVENT_PIPELINE_API_KEY: 'canary-api-key', EVENT_PIPELINE_API_URL: 'http://127.0.0.1:1/v1' },
    reads: { name: 'EventPipelineApi_TrackUserEvent', arguments: { mode: 'get_request_schema' } },
    writes: { name: 'EventPipelineApi_SendPageViewEvent', arguments: { mode: 'execute', request_body: 'no JSON' } },
    offered: 'event-pipeline:read event-pipeline:write event-pipeline:delete',
  },
  {
    app: 'file-storage',
    environment: { FILE_STORAGE_CLIENT_ID: 'client', FILE_STORAGE_CLIENT_SECRET: 'canary-client-secret' },
    reads: { name: 'FileStorage_WhoAmI', arguments: {} },
    writes: { name: 'FileStorage_CreateFolder', arguments: { path: 'Reports' } },
    offered: 'file-storage:read file-storage:write',
  },
  {
    app: 'issue-tracker',
    environment: { ISSUE_TRACKER_CLIENT_ID: 'client' },
    reads: { name: 'IssueTracker_WhoAmI', arguments: {} },
    writes: { name: 'IssueTracker_CreateIssue', arguments: { team: 'ENG', title: 'Crash' } },
    offered: 'issue-tracker:read issue-tracker:write issue-tracker:delete',
  },
] as const

describe.each(apps)('$app', ({ app, environment, reads, writes, offered }) => {
  let issuer: Awaited<ReturnType<typeof startTokenIssuer>>
  let server: HttpProcess
  let tokens: TokenIssuer
  beforeAll(async () => {
    issuer = await startTokenIssuer()
    tokens = issuer.tokens
    const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
    server = await startHttp({
      main,
      args: ['--issuer', tokens.issuer, '--public-url', publicUrl],
      environment: { ...vaultKeys, ...signIn, ...environment },
    })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })
  const callsLogged = () => server.errors().match(/"message":"call"/g)?.length ?? 0
  const scopes = `${app}:read ${app}:write ${app}:delete`
  const tokenOf = (claims: Readonly<Record<string, unknown>> = {}) =>
    tokens.sign({ sub: 'ada', aud: audience, scope: scopes, ...claims }, Date.now())
  const sendAs = async (token: string | undefined, { headers, ...request }: HttpRequest = modern(1, 'tools/call', reads)) => {
    const authorization: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return server.sendRequest({ ...request, headers: { host: 'tools.example', ...authorization, ...headers } })
  }

  test('answers every token as the matrix says, and lets the good ones alone reach a tool', async () => {
    const before = callsLogged()
    const matrix = tokenMatrix(tokens, { audience, scope: scopes, now: Date.now })
    for (const { title, status: expected, says = '', token } of matrix) {
      const { status, headers } = await sendAs(await token())
      expect(status, title).toBe(expected)
      const challenge = headers['www-authenticate'] ?? ''
      const scope = `scope="${offered}", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`
      expect(challenge, title).toContain(expected === 200 ? '' : scope)
      expect(challenge, title).toContain(says)
    }
    // The log arrives through a different pipe from the answers.
    await expect.poll(() => callsLogged() - before).toBe(matrix.filter(({ status }) => status === 200).length)
  })

  test.each([modern, legacy])('reads and writes as the scopes of the token permit, in both revisions', async (as) => {
    const reader = await tokenOf({ scope: `${app}:read` })
    expect((await sendAs(reader, as(1, 'tools/call', reads))).status).toBe(200)
    const refused = await sendAs(reader, as(2, 'tools/call', writes))
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([403, expect.stringContaining(`error="insufficient_scope"`)])
    expect(refused.headers['www-authenticate']).toContain(`scope="${app}:read ${app}:write"`)
    expect((await sendAs(await tokenOf({ scope: `openid ${app}:write` }), as(3, 'tools/call', writes))).status).toBe(200)
  })

  test('lists its tools to everyone with a token, also in another profile', async () => {
    const reader = await tokenOf({ scope: `${app}:read` })
    for (const at of ['/mcp', '/mcp/work']) {
      const { body } = await sendAs(reader, { ...legacy(1, 'tools/list'), path: at })
      expect(parseMessageBody(body)).toHaveProperty('result.tools.0.name')
    }
    expect((await sendAs(reader, { ...legacy(1, 'tools/list'), path: '/mcp/a/b' })).status).toBe(404)
  })

  test.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
  ])('refuses %s whatever the token', async (_, headers) => {
    const request = modern(1, 'tools/call', reads)
    expect((await sendAs(await tokenOf(), { ...request, headers: { ...request.headers, ...headers } })).status).toBe(403)
  })

  test('takes no token from a query', async () => {
    const request = { ...modern(1, 'tools/call', reads), path: `/mcp?access_token=${await tokenOf()}` }
    expect((await sendAs(undefined, request)).status).toBe(401)
  })

  test('writes no token and no secret to its log', async () => {
    const token = await tokenOf()
    await sendAs(token)
    await sendAs(`${token}x`)
    expect(server.errors()).toContain('"message":"refused"')
    expect(server.errors()).not.toMatch(/canary/)
    expect(server.errors()).not.toContain(token.split('.')[2])
  })
})

test('waits for the identity provider: not ready and 503, until its keys have been seen once', async () => {
  await using issuer = await startTokenIssuer()
  const { tokens } = issuer
  tokens.isDown = true
  const [{ environment, reads }] = apps
  await using server = await startHttp({
    args: ['--issuer', tokens.issuer, '--public-url', publicUrl],
    environment: { ...vaultKeys, ...environment },
  })
  const token = await tokens.sign({ sub: 'ada', aud: audience, scope: 'event-pipeline:read' }, Date.now())
  const send = async () => {
    const request = modern(1, 'tools/call', reads)
    return server.sendRequest({ ...request, headers: { ...request.headers, host: 'tools.example', authorization: `Bearer ${token}` } })
  }
  const ready = async () => (await server.sendRequest({ method: 'GET', path: '/readyz' })).status
  const away = await send()
  expect([away.status, away.headers['retry-after'], await ready()]).toEqual([503, '5', 503])
  tokens.isDown = false
  await expect.poll(ready).toBe(200)
  expect((await send()).status).toBe(200)
  tokens.isDown = true
  expect((await send()).status).toBe(200)
  server.terminate()
  expect(await server.exit()).toBe(0)
})
