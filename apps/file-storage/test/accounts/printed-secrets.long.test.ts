import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { localClient } from '@mcp-toolkits/drive-emulator'
import { echoingResponses, expectNoSecrets, startInTerminal, fetchPage, type ProgramResult } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { press } from './choosing.ts'
import { consent, setUpAccount } from './setup.ts'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const debug = { MCP_TOOLKITS_LOG_LEVEL: 'debug' }

/** An account setup that records everything that is printed or shown, and every secret. */
async function watched() {
  const google = await setUpAccount()
  const secrets = new Set([localClient.secret ?? ''])
  const said: string[] = []
  const noted = ({ code, output, errors }: ProgramResult) => {
    said.push(output, errors)
    return code
  }
  /** Runs a command to completion, and returns its exit code. */
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    noted(await google.command(args, { ...debug, ...more }))
  const remember = async () => {
    const { access_token: access, refresh_token: refresh } = (await google.stored()) ?? {}
    for (const token of [access, refresh]) if (token !== undefined) secrets.add(token)
    return access
  }
  /** A sign-in by a person who allows everything; returns the final text of the page and of the command. */
  const login = async (meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
    const running = google.startLogin([], debug)
    const address = await running.address
    await meanwhile()
    const page = await fetchPage(await consent(address))
    said.push(page.body)
    return [page.status, noted(await running.finished)]
  }
  /** Chooses a file for the command that is waiting for one. */
  const pick = async (id: string) => {
    const environment = { PATH: process.env['PATH'], ...google.environment, ...debug }
    const running = startInTerminal([main, 'call', 'GenerateFilePickerUrl', '{}', '--json'], environment)
    const [url = ''] = /(?<="url": ")[^"]+/.exec(await running.waitForLine(/"url"/)) ?? []
    const { location } = await press((await consent(new URL(url))).href, 'give', { ticked: [id] })
    const page = await fetchPage(location)
    said.push(page.body)
    return [page.status, noted(await running.result)]
  }
  return { ...google, secrets, said, run, remember, login, pick }
}

test('no command prints a secret, at any log level and after any failure', async () => {
  const { emulator, run, login, pick, remember, secrets, said, file, dataDirectory } = await watched()
  const id = emulator.addItem({ name: 'plan.txt', content: 'text' })
  const expire = async () => {
    emulator.expire(await remember())
  }
  const answering = (at: string, [status, body]: readonly [number, unknown] = [500, {}], times = 2) => {
    emulator.faults.clear()
    emulator.faults.add({ match: { path: at }, times, action: { kind: 'status', status, body } })
  }

  expect(await login()).toEqual([200, 0])
  await remember()
  for (const args of [['status'], ['status', '--json'], ['call', 'WhoAmI'], ['tools'], ['config', 'cursor']]) {
    expect(await run(args), args.join(' ')).toBe(0)
  }
  expect(await pick(id)).toEqual([200, 0])
  await expire()
  expect(await run(['call', 'WhoAmI'])).toBe(0)
  await remember()

  // Responses that echo their requests, at both endpoints.
  const answers = echoingResponses(secrets)
  for (const at of ['/drive/v3/about', '/token']) {
    for (const answer of answers) {
      await expire()
      answering(at, answer)
      await run(['call', 'WhoAmI'])
      await remember()
    }
  }
  answering('/token', answers[1])
  expect(await login()).toEqual([400, 1])
  emulator.faults.clear()
  expect(await login()).toEqual([200, 0])
  await remember()
  // A revocation is echoed.
  answering('/revoke', answers[2], 20)
  expect(await run(['logout'])).toBe(1)
  emulator.faults.clear()
  // No earlier process knew this token.
  secrets.add('ya29.canary-of-the-host')
  expect(await run(['call', 'WhoAmI'], { FILE_STORAGE_ACCESS_TOKEN: 'ya29.canary-of-the-host' })).toBe(1)
  await run(['login', '--no-browser'], { FILE_STORAGE_AUTH_URL: `http://${localClient.secret ?? ''}@127.0.0.1` })

  // A file that cannot be replaced.
  const text = await readFile(file, 'utf8')
  const spoil = async () => {
    await rm(path.join(dataDirectory, 'accounts', 'credentials.lock'))
    await mkdir(path.join(dataDirectory, 'accounts', 'credentials.lock'))
  }
  expect(await login(spoil)).toEqual([400, 1])
  expect(await readFile(file, 'utf8')).toBe(text)

  expect(said.length).toBeGreaterThan(40)
  expectNoSecrets(said, secrets)
})
