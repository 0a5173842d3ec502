import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@mcp-toolkits/core/clock'
import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import type { PeopleState } from '@mcp-toolkits/core/people'
import { openPeopleFile } from '@mcp-toolkits/store/people-file'
import { openSharedStore } from '@mcp-toolkits/store/postgres'
import { readVaultKeys } from '@mcp-toolkits/store/vault-keys'
import { openBrowser } from '@mcp-toolkits/testing/person-browser'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decodeGrant } from '../../packages/auth/src/people/grant.ts'
import { temporaryDirectory } from '../command.ts'
import { send } from '../replicas/client.ts'
import { startDatabase } from '../replicas/database.ts'
import { openCompany, peopleOf } from './company.ts'
import { connectPerson, linkIn } from './connecting.ts'
import { tracking } from './work.ts'

const postgres = startDatabase()
const run = promisify(execFile)
const vaultKey = Buffer.alloc(32, 'canary-vault').toString('base64')
const keys = `canary-key-id:${vaultKey}`
const people = peopleOf(2)
const logging = ['--log-level', 'debug']

/** Where people are stored, what opens it, and everything that is in it. */
async function placeOf(kind: string) {
  const given = { keys: readVaultKeys(keys), clock: systemClock }
  const dataDirectory = await temporaryDirectory()
  const folder = path.join(dataDirectory, 'issue-tracker')
  const schema = 'people_of_the_dump'
  const isFile = kind === 'team.db'
  return {
    options: isFile
      ? { args: [...logging, '--data-dir', dataDirectory] }
      : { args: logging, store: `${postgres().pooledUrl}?schema=${schema}` },
    async open(): Promise<PeopleState> {
      const state = isFile
        ? await openPeopleFile({ ...given, file: path.join(folder, 'team.db') })
        : await openSharedStore({ ...given, url: postgres().pooledUrl, schema })
      onTestFinished(state.close)
      return state
    },
    async dump(): Promise<string> {
      if (!isFile) return (await run('pg_dump', ['--schema', schema, postgres().directUrl], { maxBuffer: 64 * 1024 * 1024 })).stdout
      const names = (await readdir(folder)).filter((name) => name.startsWith('team.db'))
      return (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')))).join('\n')
    },
  }
}

/** A dump, followed by what stands in it as hexadecimal digits and as Base64. */
function decoded(dump: string): string {
  const hexadecimal = [...dump.matchAll(/\\x([\da-f]{16,})/g)].map(([, digits = '']) => Buffer.from(digits, 'hex'))
  const base64 = [...dump.matchAll(/[\w+/-]{16,}={0,2}/g)].map(([text]) => Buffer.from(text, 'base64'))
  return [dump, ...[...hexadecimal, ...base64].map((bytes) => bytes.toString('latin1'))].join('\n')
}

/** The secrets of what is stored, once it is opened. */
async function storedSecrets({ people: store, records }: PeopleState): Promise<string[]> {
  const grants = await Promise.all((await store.list()).map(({ owner }) => store.grants.list(owner)))
  const tokens = grants.flat().flatMap(({ grant }) => {
    const found = decodeGrant(grant)
    return found?.kind === 'login' ? [found.login.tokens?.accessToken.reveal() ?? '', found.login.tokens?.refreshToken?.reveal() ?? ''] : []
  })
  const attempts = (await records.list({ owner: 'connecting', kind: 'connect attempt' })).flatMap(({ text }) => {
    const attempt = parseJson(text)
    return [stringMember(attempt, 'verifier') ?? '', stringMember(attempt, 'nonce') ?? '']
  })
  expect([tokens.length, attempts.length]).toEqual([2, 2])
  return [...tokens, ...attempts]
}

describe.each(['team.db', 'PostgreSQL'])('people in %s', (kind) => {
  test('leave no secret where someone could read it, and not who they are', { timeout: 300_000 }, async () => {
    const place = await placeOf(kind)
    const environment = { MCP_TOOLKITS_VAULT_KEYS: keys }
    await using company = await openCompany({ ...tracking, people, environment, ...place.options })
    const [connected, consenting] = company.people
    if (!connected || !consenting) throw new Error('There are two people.')
    await connectPerson(company, connected, tracking.whoAmI)
    const token = company.tokenOf(connected)
    const call = { ...tracking.create('canary-title'), token, key: 'canary-idempotency-key' }
    expect(await send(company.url, call)).toMatchObject({ kind: 'result' })
    // Another is on the page of the vendor.
    const url = linkIn(await send(company.url, { ...tracking.whoAmI, token: company.tokenOf(consenting) }))
    const browser = openBrowser({ stopsAt: (address) => address.startsWith(company.vendor.url) })
    const consent = new URL((await company.connect(consenting, url, browser)).url)
    const state = await place.open()
    const secrets = [
      ...(await storedSecrets(state)),
      ...[vaultKey, token, url, url.split('/').at(-1) ?? '', consent.searchParams.get('state') ?? '', browser.cookies(url)],
      ...browser
        .cookies(url)
        .split('; ')
        .map((cookie) => cookie.slice(cookie.indexOf('=') + 1)),
      ...[company.identityProvider.signInClient.secret, company.vendor.environment['ISSUE_TRACKER_CLIENT_SECRET'] ?? ''],
    ]
    const personal = people.flatMap(({ subject, name = '', email = '' }) => [subject, name, email])
    const content = kind === 'team.db' ? [] : ['canary-title', 'canary-idempotency-key']
    for (const secret of secrets) expect(secret.length).toBeGreaterThan(8)

    const everything = decoded(await place.dump())
    // It is all there, and decoded: the rows, and the id of the key at the beginning of each sealed value.
    for (const part of [
      'connect attempt',
      'canary-key-id',
      state.people.ownerOf({ issuer: company.identityProvider.issuer, subject: connected.subject }),
    ])
      expect(everything).toContain(part)
    for (const secret of [...secrets, ...personal, ...content]) expect(everything.includes(secret), secret).toBe(false)

    const { stdout: processes } = await run('ps', ['-ww', '-eo', 'args='])
    expect(processes).toContain('--public-url')
    const logs = company.replicas.map(({ errors }) => errors()).join('\n')
    for (const secret of [...secrets, ...personal]) expect((processes + logs).includes(secret), secret).toBe(false)
  })
})
