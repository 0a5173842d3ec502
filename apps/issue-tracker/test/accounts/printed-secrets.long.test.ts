import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { echoingResponses, expectNoSecrets, fetchPage } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { setUpAccount } from './setup.ts'

const clientSecret = 'canary-client-secret'
const clients = [{ id: 'lodestar-desktop', name: 'Desktop', secret: clientSecret, redirectUris: ['http://127.0.0.1/callback'] }] as const

test('no command prints a secret, at any log level and after any failure', async () => {
  const person = await setUpAccount({ clients, apiKey: 'lin_api_canary-key' })
  const { login, command, emulator, expireToken, file, said, dataDirectory, startLogin, consent, stored } = person
  const secrets = new Set([clientSecret, 'lin_api_canary-key'])
  const remember = async () => {
    const { access_token: access, refresh_token: refresh } = await stored()
    secrets.add(access).add(refresh)
  }
  const environment = { ISSUE_TRACKER_CLIENT_SECRET: clientSecret, MCP_TOOLKITS_LOG_LEVEL: 'debug' }

  expect((await login([], environment)).code).toBe(0)
  await remember()
  for (const args of [['status'], ['status', '--json'], ['call', 'WhoAmI'], ['tools'], ['config', 'cursor']]) {
    expect((await command(args, environment)).code, args.join(' ')).toBe(0)
  }
  await expireToken()
  expect((await command(['call', 'WhoAmI'], environment)).code).toBe(0)
  await remember()

  // Responses that echo their requests, from both endpoints.
  const answers = echoingResponses(secrets, { errors: [{ message: 'no', extensions: { code: 'AUTHENTICATION_ERROR' } }] })
  const answering = (at: string, [status, body]: readonly [number, unknown] = [500, {}], times = 2) => {
    emulator.faults.clear()
    emulator.faults.add({ match: { path: at }, times, action: { kind: 'status', status, body } })
  }
  for (const at of ['/graphql', '/oauth/token']) {
    for (const answer of answers) {
      await expireToken()
      answering(at, answer)
      await command(['call', 'WhoAmI'], environment)
      await remember()
    }
  }
  answering('/oauth/token', answers[1])
  const refused = await startLogin([], environment)
  const page = await fetchPage(await consent(refused.address))
  expect([page.status, (await refused.end()).code]).toEqual([400, 1])
  // A revocation is retried.
  answering('/oauth/revoke', answers[2], 20)
  expect((await command(['logout'], environment)).code).toBe(1)
  emulator.faults.clear()
  await command(['call', 'WhoAmI'], { ...environment, ISSUE_TRACKER_API_KEY: 'lin_api_canary-key' })
  await command(['login', '--no-browser'], { ...environment, ISSUE_TRACKER_AUTH_URL: `http://${clientSecret}@127.0.0.1` })

  // A file that cannot be replaced.
  const unstored = await startLogin([], environment)
  await rm(path.join(dataDirectory, 'accounts', 'credentials.lock'))
  await mkdir(path.join(dataDirectory, 'accounts', 'credentials.lock'))
  const text = await readFile(file, 'utf8')
  const lost = await fetchPage(await consent(unstored.address))
  expect([lost.status, (await unstored.end()).code]).toEqual([400, 1])
  expect(await readFile(file, 'utf8')).toBe(text)

  expect(said.length).toBeGreaterThan(40)
  expectNoSecrets([...said, page.body, lost.body], secrets)
})
