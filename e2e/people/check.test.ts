import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { runNode, temporaryDirectory } from '../command.ts'
import { startHttp } from '../http-process.ts'
import { startTokenIssuer } from './token-server.ts'

const publicUrl = 'https://tools.example'
const keysOf = (byte: number) => ({ MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, byte).toString('base64')}` })
const signIn = { MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'server', MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: 'canary-sign-in-secret' }
const tracker = { ...keysOf(7), ...signIn, ISSUE_TRACKER_CLIENT_ID: 'client' }
const mainOf = (app: string) => path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')

async function check(app: string, issuer: string, environment: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const directory = await temporaryDirectory()
  const options = ['--issuer', issuer, '--public-url', publicUrl, '--data-dir', directory, ...args]
  const finished = await runNode([mainOf(app), 'http', '--check', ...options], { environment })
  return { ...finished, directory }
}

test('shows what each person would be served, with what to register, and leaves the data directory empty', async () => {
  await using issuer = await startTokenIssuer()
  const { code, output, errors, directory } = await check('issue-tracker', issuer.tokens.issuer, tracker, ['--audience', 'api://tracker'])
  expect([code, errors]).toEqual([0, ''])
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^server: issue-tracker \d/),
    "upstream: https://api.linear.app/graphql with each person's own account",
    'address: http://127.0.0.1:3000/mcp',
    'hosts: localhost, tools.example',
    'token: from the identity provider',
    'drain wait: 0 s',
    'read-only: no',
    expect.stringMatching(/^tools: (\d+) of \1$/),
    `issuer: ${issuer.tokens.issuer}`,
    `public URL: ${publicUrl}`,
    'audience: api://tracker',
    'scopes: read=issue-tracker:read, write=issue-tracker:write, delete=issue-tracker:delete',
    'person: the claim sub',
    `sign-in: as the client server, to ${publicUrl}/connect/signed-in`,
    `consent: back to ${publicUrl}/connect/callback`,
    `people: none; the first start creates ${path.join(directory, 'issue-tracker', 'team.db')}`,
  ])
  expect(await readdir(directory)).toEqual([])
})

test('shows that the server issues the tokens', async () => {
  await using issuer = await startTokenIssuer()
  const environment = { ...keysOf(7), ...signIn, EVENT_PIPELINE_API_KEY: 'canary-api-key' }
  const { code, output } = await check('event-pipeline', issuer.tokens.issuer, environment, ['--authorization-server'])
  expect(code).toBe(0)
  for (const text of [
    'token: from this server',
    `authorization server: ${publicUrl}, this server`,
    `audience: ${publicUrl}/mcp`,
    `sign-in: as the client server, to ${publicUrl}/connect/signed-in`,
  ])
    expect(output).toContain(`${text}\n`)
})

test('shows one key for all people, and warns of a provider that does not answer', async () => {
  const environment = { ...keysOf(7), EVENT_PIPELINE_API_KEY: 'canary-api-key' }
  const { code, output } = await check('event-pipeline', 'http://127.0.0.1:1', environment)
  expect(code).toBe(0)
  expect(output).toContain('upstream: https://cdp.customer.io/v1 with EVENT_PIPELINE_API_KEY, for all people\n')
  expect(output).toContain('warning: http://127.0.0.1:1/.well-known/openid-configuration cannot be reached.')
  expect(output).not.toMatch(/canary|sign-in/)
})

test('refuses a provider that names itself differently', async () => {
  await using issuer = await startTokenIssuer()
  issuer.tokens.namedIssuer = `${issuer.tokens.issuer}/`
  const { code, output, errors } = await check('issue-tracker', issuer.tokens.issuer, tracker)
  expect([code, output]).toEqual([2, ''])
  expect(errors).toContain(
    `names a different issuer, ${issuer.tokens.issuer}/. MCP_TOOLKITS_ISSUER must be spelled exactly as the metadata spells it.`,
  )
})

test('refuses an audit that cannot be written, and makes no file', async () => {
  await using issuer = await startTokenIssuer()
  const refused = await check('issue-tracker', issuer.tokens.issuer, tracker, ['--audit', '/proc/none/audit'])
  expect([refused.code, refused.output]).toEqual([2, ''])
  expect(refused.errors).toContain(
    'The audit log cannot be written to /proc/none/audit (ENOENT). Give --audit (MCP_TOOLKITS_AUDIT) a file in',
  )
  const directory = await temporaryDirectory()
  const accepted = await check('issue-tracker', issuer.tokens.issuer, tracker, ['--audit', path.join(directory, 'audit')])
  expect([accepted.code, await readdir(directory)]).toEqual([0, []])
})

/** Both commands read the options; without `LONG=full`, each case uses only one of them. */
const commands = [['http', '--check'], ['http']] as const
const withCommands = <Case>(cases: readonly Case[]) => cases.map((each, index) => [each, shareOf(commands, 2, index)] as const)

test.for(
  withCommands([
    ['MCP_TOOLKITS_KEYS', 'person'],
    ['MCP_TOOLKITS_SCOPES', 'read=r,write=w,delete=d'],
    ['MCP_TOOLKITS_SUBJECT_CLAIM', 'oid'],
    ['MCP_TOOLKITS_SIGN_IN_CLIENT_ID', 'server'],
    ['MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET', 'canary-sign-in-secret'],
  ] as const),
)('neither checks nor serves with %s and without a provider', async ([[variable, value], chosen]) => {
  for (const command of chosen) {
    const args = [mainOf('issue-tracker'), ...command, '--embedded', '--port', '0', '--data-dir', await temporaryDirectory()]
    const { code, output, errors } = await runNode(args, { environment: { [variable]: value } })
    expect([code, output]).toEqual([2, ''])
    expect(errors).toContain(`${variable} requires --issuer (MCP_TOOLKITS_ISSUER), which is not given.`)
    expect(errors).not.toMatch(/canary/)
  }
})

test.for(
  withCommands([
    ['without keys', { ...tracker, MCP_TOOLKITS_VAULT_KEYS: '' }, [], /needs MCP_TOOLKITS_VAULT_KEYS.*openssl rand -base64 32/],
    ['without a client at the vendor', { ...keysOf(7), ...signIn }, [], /needs ISSUE_TRACKER_CLIENT_ID.*\/connect\/callback/],
    ['without a client at the provider', { ...keysOf(7), ISSUE_TRACKER_CLIENT_ID: 'client' }, [], /MCP_TOOLKITS_SIGN_IN_CLIENT_ID/],
    ['with a credential', { ...tracker, ISSUE_TRACKER_API_KEY: 'canary-api-key' }, [], /cannot be combined with ISSUE_TRACKER_API_KEY/],
    ['with a shared token', { ...tracker, MCP_TOOLKITS_HTTP_TOKEN: 'canary-0123456789abcdef0123456789' }, [], /MCP_TOOLKITS_HTTP_TOKEN/],
    ['with the embedded default', tracker, ['--embedded'], /cannot be combined with --embedded/],
    ['with a profile', tracker, ['--profile', 'work'], /cannot be combined with --profile/],
  ] as const),
)('neither checks nor serves %s', async ([[, environment, args, says], chosen]) => {
  for (const command of chosen) {
    const options = ['--issuer', 'https://id.example', '--public-url', publicUrl, '--port', '0', '--data-dir', await temporaryDirectory()]
    const { code, output, errors } = await runNode([mainOf('issue-tracker'), ...command, ...options, ...args], { environment })
    expect([code, output, errors]).toEqual([2, '', expect.stringMatching(says)])
    expect(errors).not.toMatch(/canary/)
  }
})

test('refuses keys that do not open what people have granted', async () => {
  await using issuer = await startTokenIssuer()
  const directory = await temporaryDirectory()
  const args = ['--issuer', issuer.tokens.issuer, '--public-url', publicUrl, '--data-dir', directory]
  {
    await using server = await startHttp({ main: mainOf('issue-tracker'), args, environment: tracker })
    expect(server.errors()).toContain(`Clients connect to ${publicUrl}/mcp with a token from ${issuer.tokens.issuer}.`)
  }
  const right = await runNode([mainOf('issue-tracker'), 'http', '--check', ...args], { environment: tracker })
  expect([right.code, right.output]).toEqual([0, expect.stringMatching(/^people: 0 people in .*team\.db$/m)])
  for (const command of [
    ['http', '--check'],
    ['http', '--port', '0'],
  ]) {
    const wrong = await runNode([mainOf('issue-tracker'), ...command, ...args], { environment: { ...tracker, ...keysOf(8) } })
    expect(wrong.code).not.toBe(0)
    expect(wrong.errors).toContain('MCP_TOOLKITS_VAULT_KEYS')
  }
})
