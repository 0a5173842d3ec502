// A replica that acts for one person. It makes five calls for each line that it reads, and prints a line when it waits for the grant's
// lock.
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { type PeopleState, systemClock } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { grantStore } from '@mcp-toolkits/team/accounts'
import { openPeopleFile, readVaultKeys } from '@mcp-toolkits/team/vault'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { connect } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

const [address = '', owner = '', stop = ''] = process.argv.slice(2)
const given = { keys: readVaultKeys(process.env['MCP_TOOLKITS_VAULT_KEYS'] ?? ''), clock: systemClock }
const url = URL.parse(address)
const shared =
  url && (await openSharedStore({ ...given, url: url.href.replace(url.search, ''), schema: url.searchParams.get('schema') ?? '' }))
const state: PeopleState = shared ?? (await openPeopleFile({ ...given, file: address }))

const say = (line: string) => process.stdout.write(`${line}\n`)
const hang = () => new Promise<never>(() => undefined)

/**
 * The request for new tokens stops where the test wants: before it is sent, until the response arrives, or before the response is stored.
 */
const stoppingFetch: Fetch = async (input, init) => {
  const request = new Request(input, init)
  if (new URL(request.url).pathname !== '/oauth/token' || stop === '') return fetch(request)
  if (stop === 'before') {
    say('stopped')
    return hang()
  }
  const answer = fetch(request)
  if (stop === 'during') say('stopped')
  await answer
  if (stop === 'after') say('stopped')
  return hang()
}

const locks: PeopleState['locks'] = {
  withLock(...lock) {
    say('waiting')
    return state.locks.withLock(...lock)
  },
}
const store = grantStore({ ...state, locks }, owner)
const atStart = await store.read({ server: 'issue-tracker', profile: 'default' })
const server = await connect(issueTracker, {
  environment: process.env,
  fetch: stoppingFetch,
  sharedLogins: { store, atStart },
  ...(shared && { shared, isReplica: true }),
})
// Node flushes the cache when a program ends, but the test kills this program.
flushCompileCache()
say('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const results = await Promise.all(Array.from({ length: 5 }, () => server.result('IssueTracker.WhoAmI')))
  const codes = results.map(({ isError, content }) => (isError === true ? JSON.stringify(content) : line))
  say(JSON.stringify(codes))
}
