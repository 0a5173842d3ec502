import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { encodeGrant, grantStore } from '@mcp-toolkits/team/accounts'
import type { Login } from '@mcp-toolkits/server/account'
import { connect } from '@mcp-toolkits/testing'
import { type PostgresServer, runsPostgres, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../../src/server.ts'
import { containing, fetchPage, setUpAccount } from '../accounts/setup.ts'
import { connectAccount, fileOfPeople, schemaOfPeople } from './setup.ts'

const issuer = 'https://id.example.com'
const ada = { issuer, subject: 'ada@acme.example' }
const ben = { issuer, subject: 'ben@acme.example' }
const place = { server: 'issue-tracker', profile: 'default' }
const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const former = keyOf('former', 1)
const present = keyOf('present', 2)

let postgres: PostgresServer | undefined
beforeAll(async () => {
  postgres = runsPostgres() ? await startPostgres() : undefined
})
afterAll(() => postgres?.stop())

describe.each(runsPostgres() ? ['team.db', 'PostgreSQL'] : ['team.db'])('the people in %s', (kind) => {
  /** A server for many people that has run, and its commands. */
  async function setUp() {
    const account = await setUpAccount()
    const { location, open, variables } = postgres && kind === 'PostgreSQL' ? schemaOfPeople(postgres.pooledUrl) : fileOfPeople(account)
    const command = (args: readonly string[], keys = former, more = {}) =>
      account.command(args, { ...variables, MCP_TOOLKITS_VAULT_KEYS: keys, ...more })
    return { account, open, command, location, variables }
  }

  test('are listed with their accounts, without secrets', async () => {
    const server = await setUp()
    const state = await server.open(former)
    expect(await server.command(['people', 'list'])).toMatchObject({ code: 0, output: '0 people, 0 connected accounts.\n' })
    await connectAccount(server.account, state, { person: ada })
    await state.people.remember(ben)
    const key = encodeGrant({ kind: 'key', key: new Secret('canary-key'), account: {} })
    await state.people.grants.write({ owner: state.people.ownerOf(ben), profile: 'work' }, key)
    const { output } = await server.command(['people', 'list'])
    expect(output.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY').split('\n')).toEqual([
      `${ada.subject}, Robin Vance <robin.vance@lodestar.example>, at ${issuer}`,
      '  default: Robin Vance <robin.vance@lodestar.example>, Lodestar, connected on DAY',
      `${ben.subject} at ${issuer}`,
      '  work: an API key, connected on DAY',
      '2 people, 2 connected accounts.',
      '',
    ])
    const listed = await server.command(['people', 'list', '--json'])
    expect(JSON.parse(listed.output)).toMatchObject({
      people: [
        { ...ada, connections: [{ profile: 'default', kind: 'login', state: 'active', scopes: containingAny('read') }] },
        { ...ben, connections: [{ profile: 'work', kind: 'key', state: 'active' }] },
      ],
    })
    const { access_token: access, refresh_token: refresh } = await server.account.stored()
    for (const secret of ['canary-key', access, refresh]) expect(listed.output + output).not.toContain(secret)
  })

  test('are counted by status, and not used by calls from a terminal', async () => {
    const server = await setUp()
    const state = await server.open(former)
    await connectAccount(server.account, state, { person: ada })
    await state.people.remember(ben)
    const status = await server.command(['status', '--json'], former, { MCP_TOOLKITS_ISSUER: issuer })
    expect(JSON.parse(status.output)).toMatchObject({
      upstream: containing("/graphql with each person's own account"),
      issuer,
      people: 2,
      connected_accounts: 1,
    })
    const text = await server.command(['status'], former, { MCP_TOOLKITS_ISSUER: issuer })
    expect([text.code, text.output]).toEqual([0, containing(' people list` shows who has connected what.')])
    const other = await server.command(['status'], present, { MCP_TOOLKITS_ISSUER: issuer })
    expect([other.code, other.output]).toEqual([1, containing('problem: ')])
    const called = await server.command(['call', 'WhoAmI', '--embedded'], former, { MCP_TOOLKITS_ISSUER: issuer })
    expect([called.code, called.errors]).toEqual([0, containing('This command does not: it uses the embedded default.')])
  })

  test('can be service identities, for which an operator signs in', async () => {
    const server = await setUp()
    const audit = path.join(server.account.dataDirectory, 'audit.jsonl')
    const variables = { ...server.variables, MCP_TOOLKITS_VAULT_KEYS: former, MCP_TOOLKITS_ISSUER: issuer }
    const connectRobot = () => server.account.start(['people', 'connect', 'robot', '--no-browser', '--audit', audit], variables)
    const declined = connectRobot()
    await fetchPage(await server.account.consent(new URL(await declined.waitForLine(/^http/)), 'deny'))
    expect((await declined.result).code).toBe(1)
    expect(await server.command(['people', 'list'])).toMatchObject({ output: '0 people, 0 connected accounts.\n' })

    const running = connectRobot()
    await fetchPage(await server.account.consent(new URL(await running.waitForLine(/^http/))))
    const { code, output, errors } = await running.result
    expect([code, errors]).toEqual([0, ''])
    expect(output).toContain('Calls by the service identity robot now act as Robin Vance <robin.vance@lodestar.example>, Lodestar')
    const listed = await server.command(['people', 'list'])
    expect(listed.output).toContain(
      `robot, Robin Vance <robin.vance@lodestar.example>, at ${issuer}, a service identity\n  default: Robin Vance`,
    )
    const state = await server.open(former)
    const owner = state.people.ownerOf({ issuer, subject: 'robot', isService: true })
    expect(await grantStore(state, owner).read(place)).toMatchObject({ account: { workspace: 'Lodestar' } })
    expect(await state.people.grants.list(state.people.ownerOf({ issuer, subject: 'robot' }))).toEqual([])
    expect(await server.command(['people', 'forget', 'robot', '--audit', audit])).toMatchObject({ code: 0 })
    expect(
      (await readFile(audit, 'utf8'))
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([
      { issuer, service: 'robot', action: 'connect', purpose: 'account', outcome: 'ok' },
      { issuer, service: 'robot', action: 'disconnect', outcome: 'ok' },
      { issuer, service: 'robot', action: 'forget', outcome: 'ok' },
    ])
  })

  test('are forgotten one by one, and the vendor revokes their logins', async () => {
    const server = await setUp()
    const state = await server.open(former)
    await connectAccount(server.account, state, { person: ada })
    await state.people.remember(ben)
    expect(await server.command(['people', 'forget', 'cat'])).toMatchObject({
      code: 1,
      errors: containing('No person with the subject "cat"'),
    })
    expect(await server.command(['people', 'forget', ada.subject, '--issuer', 'https://other.example.com'])).toMatchObject({ code: 1 })
    const audit = path.join(server.account.dataDirectory, 'audit.jsonl')
    const { code, output } = await server.command(['people', 'forget', ada.subject, '--audit', audit])
    const lines = (await readFile(audit, 'utf8')).trim().split('\n')
    const account = 'Robin Vance <robin.vance@lodestar.example>, Lodestar'
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { ...ada, action: 'disconnect', profile: 'default', account, outcome: 'ok' },
      { ...ada, action: 'forget', outcome: 'ok' },
    ])
    expect([code, output]).toEqual([0, `Everything that was stored about "${ada.subject}" is deleted, with 1 connected account.\n`])
    expect(await server.account.requests('/oauth/revoke')).toBe(2)
    expect(await grantStore(state, state.people.ownerOf(ada)).read(place)).toBeUndefined()
    expect(await state.people.list()).toMatchObject([ben])
  })

  test('are forgotten while their login is refreshed, and the vendor revokes the latest tokens', async () => {
    const server = await setUp()
    const state = await server.open(former)
    const expiry = { expiresAt: 0, refreshAt: 0 }
    const change = (login: Login) => ({ ...login, ...(login.tokens && { tokens: { ...login.tokens, expiry } }) })
    await connectAccount(server.account, state, { person: ada, change })
    const owner = state.people.ownerOf(ada)
    const refresh = Promise.withResolvers<undefined>()
    const slowFetch: Fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (response.url.endsWith('/oauth/token')) await refresh.promise
      return response
    }
    const store = grantStore(state, owner)
    const caller = await connect(issueTracker, {
      environment: server.account.environment,
      fetch: slowFetch,
      sharedLogins: { store, atStart: await store.read(place) },
    })
    onTestFinished(() => caller[Symbol.asyncDispose]())
    const called = caller.result('IssueTracker.WhoAmI')
    await expect.poll(() => server.account.issued()).toEqual([2])
    const forgotten = server.command(['people', 'forget', ada.subject])
    refresh.resolve(undefined)
    expect(await forgotten).toMatchObject({ code: 0, errors: '' })
    await called
    expect(await caller.fails('IssueTracker.WhoAmI')).toMatchObject({ code: 'unauthenticated' })
    expect([await store.read(place), await state.people.list()]).toEqual([undefined, []])
    expect(server.account.emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)).toEqual([true])
  })

  test('with the same subject at two identity providers are told apart', async () => {
    const server = await setUp()
    const { people } = await server.open(former)
    const other = { ...ada, issuer: 'https://other.example.com' }
    await people.remember(ada)
    await people.remember(other)
    const refused = await server.command(['people', 'forget', ada.subject])
    expect([refused.code, refused.errors]).toEqual([2, containing(`${people.ownerOf(other)} is a person at ${other.issuer}`)])
    expect(await people.list()).toHaveLength(2)
    await server.command(['people', 'forget', ada.subject, '--issuer', issuer])
    expect(await people.list()).toMatchObject([other])
  })

  test('and service identities with the same subject are told apart, even if one cannot be read', async () => {
    const server = await setUp()
    const { people } = await server.open(former)
    const robot = { ...ada, isService: true } as const
    await people.remember(ada)
    await people.remember(robot)
    const named = ['people', 'forget', ada.subject, '--issuer', issuer]
    const { code, errors } = await server.command(named)
    expect([code, errors]).toEqual([2, containing('Choose one with `people forget OWNER`')])
    expect(errors).toContain(`${people.ownerOf(ada)} is a person at ${issuer}`)
    expect(errors).toContain(`${people.ownerOf(robot)} is a service identity at ${issuer}`)
    expect(await people.list()).toHaveLength(2)
    const { output } = await server.command(['people', 'forget', people.ownerOf(robot)])
    expect([output, await people.list()]).toMatchObject([containing(`stored about "${ada.subject}" is deleted`), [ada]])
    await people.forget(people.ownerOf(ada))

    await (await server.open(`${present},${former}`)).people.remember(robot)
    const audit = path.join(server.account.dataDirectory, 'audit.jsonl')
    await server.open(`${former},${present}`)
    expect(await server.command([...named, '--audit', audit])).toMatchObject({ code: 0 })
    expect(JSON.parse(await readFile(audit, 'utf8'))).toMatchObject({ service: ada.subject, action: 'forget' })
    expect(await people.listUnreadable()).toEqual([])
  })

  test('are forgotten even if the vendor is down, and the operator is told', async () => {
    const server = await setUp()
    const state = await server.open(former)
    await connectAccount(server.account, state, { person: ada })
    server.account.emulator.faults.add({ times: Infinity, action: { kind: 'status', status: 503 } })
    const { code, errors } = await server.command(['people', 'forget', ada.subject])
    expect([code, errors]).toEqual([1, containing('still accepts the login of the account default')])
    expect(await state.people.list()).toEqual([])
  })

  test('are encrypted with the first key by `vault rotate`, and `vault check` says what each key opens', async () => {
    const server = await setUp()
    await connectAccount(server.account, await server.open(former), { person: ada })
    const both = `${present},${former}`
    expect(await server.command(['vault', 'check'])).toMatchObject({
      code: 0,
      output: `${server.location}\nkey former, which encrypts: 4 rows, all readable\n`,
    })
    const rotated = await server.command(['vault', 'rotate'], both)
    expect(rotated).toMatchObject({ code: 0, output: containing('first key on every replica, you can remove former.') })
    const check: unknown = JSON.parse((await server.command(['vault', 'check', '--json'], present)).output)
    expect(check).toEqual({ location: server.location, keys: [{ key: 'present', rows: 4, unreadable: 0 }] })
    expect(await server.command(['vault', 'rotate'], present)).toMatchObject({ code: 0, output: containing('0 rows') })
    expect(await server.command(['vault', 'renew'], present)).toMatchObject({
      code: 0,
      output: containing('the refresh tokens of 0 sign-ins'),
    })
  })

  test('that were encrypted with a missing key are counted and left unchanged', async () => {
    const server = await setUp()
    const [ahead, behind] = [`${present},${former}`, `${former},${present}`]
    const state = await server.open(ahead)
    await state.people.remember(ben)
    await server.open(behind)
    const checked = await server.command(['vault', 'check'])
    expect([checked.code, checked.output]).toEqual([1, ''])
    expect(checked.errors.split('\n').slice(1)).toEqual([
      'key former, which encrypts: 2 rows, all readable',
      'key present: 1 row, 1 row is unreadable: the key is missing here',
      '',
    ])
    const rotated = await server.command(['vault', 'rotate'])
    expect([rotated.code, rotated.errors]).toEqual([1, containing('Add the keys that are missing')])
    expect(await state.people.list()).toMatchObject([ben])
    expect(await server.command(['vault', 'rotate'], behind)).toMatchObject({ code: 0, output: containing('1 row') })
  })

  test('with data encrypted with a missing key are listed and forgotten, and so are the others', async () => {
    const server = await setUp()
    const [ahead, behind] = [`${present},${former}`, `${former},${present}`]
    await connectAccount(server.account, await server.open(former), { person: ada })
    const state = await server.open(ahead)
    const grantOf = (name: string) => encodeGrant({ kind: 'key', key: new Secret(`canary-${name}`), account: {} })
    await state.people.grants.write({ owner: state.people.ownerOf(ada), profile: 'work' }, grantOf('work'))
    await state.people.remember(ben)
    const owner = state.people.ownerOf(ben)
    await state.people.grants.write({ owner, profile: 'default' }, grantOf('ben'))
    await server.open(behind)
    const missing = ', because the key present is missing from MCP_TOOLKITS_VAULT_KEYS or has different bytes'
    const { code, output } = await server.command(['people', 'list'])
    expect([code, output.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY').split('\n')]).toEqual([
      0,
      [
        `${ada.subject}, Robin Vance <robin.vance@lodestar.example>, at ${issuer}`,
        '  default: Robin Vance <robin.vance@lodestar.example>, Lodestar, connected on DAY',
        `  work: an account, connected on DAY, which cannot be read${missing}`,
        `a person whose entry cannot be read${missing}; \`people forget ${owner}\` deletes them`,
        `  default: an account, connected on DAY, which cannot be read${missing}`,
        '2 people, 3 connected accounts.',
        '',
      ],
    ])
    expect(JSON.parse((await server.command(['people', 'list', '--json'])).output)).toMatchObject({
      people: [{ ...ada, connections: [{ state: 'active' }, { profile: 'work', state: 'unreadable', missing_key: 'present' }] }],
      unreadable: [{ owner, missing_key: 'present', connections: [{ profile: 'default', state: 'unreadable' }] }],
    })
    const notRevoked = (profile: string) =>
      containing(`Linear may still accept the account ${profile}, which could not be read and so was not revoked${missing}.`)
    const forgotten = await server.command(['people', 'forget', ada.subject])
    expect([forgotten.code, forgotten.output, forgotten.errors]).toEqual([1, containing('with 2 connected accounts'), notRevoked('work')])
    expect(server.account.emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)).toEqual([true])
    expect(await server.command(['people', 'forget', ben.subject])).toMatchObject({ code: 1, errors: containing('No person with') })
    const named = kind === 'PostgreSQL' ? [owner] : [ben.subject, '--issuer', issuer]
    expect(await server.command(['people', 'forget', ...named])).toMatchObject({ code: 1, errors: notRevoked('default') })
    expect(await server.command(['people', 'list'])).toMatchObject({ code: 0, output: '0 people, 0 connected accounts.\n' })
  })

  test('cannot be read with a wrong key, and every command says so', async () => {
    const server = await setUp()
    await connectAccount(server.account, await server.open(former), { person: ada })
    const commands = [
      ['people', 'list'],
      ['people', 'forget', ada.subject],
      ['vault', 'check'],
      ['vault', 'rotate'],
    ]
    for (const args of commands) {
      expect(await server.command(args, present)).toMatchObject({ code: 1, errors: containing('sealed with the key former') })
      expect(await server.command(args, keyOf('former', 3))).toMatchObject({
        code: 1,
        errors: containing('does not open with the key former'),
      })
      expect(await server.command(args, '')).toMatchObject({ code: 2, errors: containing('MCP_TOOLKITS_VAULT_KEYS') })
    }
    expect(JSON.parse((await server.command(['people', 'list', '--json'])).output)).toMatchObject({ people: [ada] })
  })
})

test('If no server for many people has run, the commands say so and create no file.', async () => {
  const { command, dataDirectory } = await setUpAccount()
  for (const args of [
    ['people', 'list'],
    ['vault', 'check'],
  ])
    expect(await command(args, { MCP_TOOLKITS_VAULT_KEYS: former })).toMatchObject({
      code: 2,
      errors: containing('team.db" does not exist'),
    })
  expect(existsSync(path.join(dataDirectory, 'issue-tracker', 'team.db'))).toBe(false)
})

const containingAny = (value: string): unknown => expect.arrayContaining([value])
