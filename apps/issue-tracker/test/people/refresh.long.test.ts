import path from 'node:path'
import type { Login } from '@mcp-toolkits/server/account'
import { isFull, shareOf, type RunningProgram, startProgram } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setUpAccount } from '../accounts/setup.ts'
import { connectAccount, fileOfPeople, schemaOfPeople } from './setup.ts'

const program = path.join(import.meta.dirname, 'refreshing-replica.ts')
const ada = { issuer: 'https://id.example.com', subject: 'ada' }
const keys = `key:${Buffer.alloc(32, 1).toString('base64')}`
/** Each replica is a process that takes two seconds of CPU time. */
const otherReplicas = isFull ? 9 : 1

const succeeded = JSON.stringify(Array.from({ length: 5 }, () => 'go'))

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** Moments at which the replica that refreshes the grant is killed. */
const stops = [
  ['before it has asked the provider', 'before', { refreshGrace: 0, refreshes: 1 }],
  ['before the provider has answered', 'during', { refreshGrace: 1800, refreshes: 2 }],
  ['before it has stored the answer', 'after', { refreshGrace: 1800, refreshes: 2 }],
] as const

const kinds = ['team.db', 'PostgreSQL']
describe.each(kinds)('replicas with a grant in %s', (kind) => {
  const share = <Case>(cases: readonly Case[]) => shareOf(cases, 2, kinds.indexOf(kind))

  /** A person whose grant has expired, and the replicas that act for them. */
  async function setUp(refreshGrace: number) {
    const account = await setUpAccount({ lifetimes: { refreshGrace } })
    const { address, open } = kind === 'PostgreSQL' ? schemaOfPeople(postgres.pooledUrl) : fileOfPeople(account)
    const state = await open(keys)
    const expiry = { expiresAt: 0, refreshAt: 0 }
    const change = (login: Login) => ({ ...login, ...(login.tokens && { tokens: { ...login.tokens, expiry } }) })
    await connectAccount(account, state, { person: ada, change })
    const before = await account.requests('/oauth/token')
    const start = async (stop = '') => {
      const environment = { ...account.environment, MCP_TOOLKITS_VAULT_KEYS: keys, PATH: process.env['PATH'] }
      const replica = startProgram([program, address, state.people.ownerOf(ada), stop], environment)
      await replica.waitForLine(/^ready$/)
      return replica
    }
    const answer = (replica: RunningProgram) => replica.waitForLine(/^\[/)
    return { account, start, answer, refreshes: async () => (await account.requests('/oauth/token')) - before }
  }

  test('refresh it once, and every call succeeds', async () => {
    const { account, start, answer, refreshes } = await setUp(0)
    const replicas = await Promise.all(Array.from({ length: 1 + otherReplicas }, () => start()))
    for (const replica of replicas) replica.writeLine('go')
    expect(await Promise.all(replicas.map(answer))).toEqual(replicas.map(() => succeeded))
    expect([await refreshes(), account.issued()]).toEqual([1, [2]])
  })

  test.each(share(stops))('continue when the one that refreshes it is killed %s', async (_, stop, expected) => {
    const { account, start, answer, refreshes } = await setUp(expected.refreshGrace)
    const [dying, ...others] = await Promise.all([start(stop), ...Array.from({ length: otherReplicas }, () => start())])
    if (stop === 'during')
      account.emulator.faults.add({ match: { path: '/oauth/token' }, times: 1, action: { kind: 'slow', milliseconds: 60_000 } })
    dying.writeLine('go')
    await dying.waitForLine(/^stopped$/)
    await expect.poll(refreshes).toBe(stop === 'before' ? 0 : 1)
    // Stopped, so that it does not give up and ask again while the other replicas get ready.
    dying.kill('SIGSTOP')
    for (const replica of others) replica.writeLine('go')
    await Promise.all(others.map((replica) => replica.waitForLine(/^waiting$/)))
    const killed = performance.now()
    dying.kill('SIGKILL')
    expect(await Promise.all(others.map(answer))).toEqual(others.map(() => succeeded))
    process.stdout.write(`${kind}, killed ${stop}: the others went on after ${Math.round(performance.now() - killed)} ms\n`)
    expect(await refreshes()).toBe(expected.refreshes)
    const [last = await start()] = isFull ? [] : others
    last.writeLine('go')
    expect(await answer(last)).toBe(succeeded)
    expect(await refreshes()).toBe(expected.refreshes)
  })

  test.for(share([0]))(
    'all ask for a new connection if a provider without a grace period has answered one that was killed',
    async (refreshGrace) => {
      const { start, answer, refreshes } = await setUp(refreshGrace)
      const [dying, ...others] = await Promise.all([start('after'), start(), start()])
      dying.writeLine('go')
      await dying.waitForLine(/^stopped$/)
      dying.kill('SIGKILL')
      for (const replica of others) replica.writeLine('go')
      for (const refused of await Promise.all(others.map(answer))) expect(refused.match(/unauthenticated/g)).toHaveLength(5)
      expect(await refreshes()).toBe(2)
    },
  )
})
