import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { containing, setUpAccount, fetchPage } from './setup.ts'

const list = 'IssueTracker.ListTeams'
const next = { command: 'issue-tracker-mcp login' }
const unset = { ISSUE_TRACKER_CLIENT_ID: undefined, ISSUE_TRACKER_AUTH_URL: undefined, ISSUE_TRACKER_API_URL: undefined }

describe('a second login', () => {
  test('changes nothing when the person refuses', async () => {
    const { login, startLogin, consent, command, stored } = await setUpAccount()
    await login()
    const before = await stored()
    const { address, end } = await startLogin()
    const page = await fetchPage(await consent(address, 'refuse'))
    expect(page.body).toContain('so nothing has changed')
    expect(await end()).toMatchObject({ code: 1, errors: containing('so nothing has changed') })
    expect(await stored()).toEqual(before)
    expect((await command(['call', 'ListTeams'])).code).toBe(0)
  })

  test.each(['ISSUE_TRACKER_API_URL', 'ISSUE_TRACKER_AUTH_URL'] as const)(
    'needs a client id if %s names a different address',
    async (variable) => {
      const [mine, other] = [await setUpAccount(), await setUpAccount()]
      await mine.login()
      const elsewhere = variable === 'ISSUE_TRACKER_API_URL' ? `${other.url}/graphql` : other.url
      const { code, output, errors } = await mine.refused({ ...unset, [variable]: elsewhere })
      expect([code, output]).toEqual([2, ''])
      expect(errors).toContain(elsewhere)
      expect(errors).toContain('Set ISSUE_TRACKER_CLIENT_ID to an application that is registered there')
      // The URL at which the login began does not count as a different one.
      const same = { ISSUE_TRACKER_API_URL: `${mine.url}/graphql`, ISSUE_TRACKER_AUTH_URL: mine.url }
      expect((await mine.login([], { ...unset, [variable]: same[variable] })).code).toBe(0)
    },
  )
})

test('names the command when the provider no longer accepts the application', async () => {
  const { login, server: open, expireToken, emulator, stored } = await setUpAccount()
  await login()
  const before = await stored()
  const server = await open()
  for (const error of ['invalid_client', 'unauthorized_client', 'invalid_request']) {
    await expireToken()
    emulator.faults.add({ match: { path: '/oauth/token' }, action: { kind: 'status', status: 400, body: { error } } })
    const told = await server.fails(list)
    expect(told).toMatchObject({ code: 'unauthenticated', retryable: false, next })
    expect(told.message).toContain('could not be refreshed')
  }
  // The grant is kept, because perhaps only the client secret is wrong.
  expect((await stored()).refresh_token).toBe(before.refresh_token)
  await server.call(list)
})

describe('logout', () => {
  test('names a profile that has no login, and accepts a profile only as an option', async () => {
    const { login, command, stored } = await setUpAccount()
    await login()
    expect(await command(['logout', 'work'])).toMatchObject({ code: 2, errors: containing('Unexpected: work') })
    expect(await command(['logout', '--profile', 'wrok'])).toMatchObject({ code: 1, errors: containing('under the profile "wrok"') })
    expect(await stored()).toHaveProperty('access_token')
  })

  test('does not claim to have revoked a login that the provider had ended', async () => {
    const { login, command, stored, emulator, requests } = await setUpAccount()
    await login()
    const { refresh_token: token } = await stored()
    await emulator.fetch('https://api.linear.app/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token }) })
    expect((await command(['call', 'ListTeams'])).code).toBe(1)
    const before = await requests('/oauth/revoke')
    const { code, output } = await command(['logout'])
    expect([code, output]).toEqual([0, 'Signed out of Linear: the login is deleted. Linear had already ended it.\n'])
    expect(await requests('/oauth/revoke')).toBe(before)
  })
})

describe.runIf(process.platform === 'linux')('the browser', () => {
  /** A program that acts as the browser and records its argument. */
  async function browser(dataDirectory: string) {
    const directory = path.join(dataDirectory, 'bin')
    await mkdir(directory)
    const seen = path.join(directory, 'seen')
    await writeFile(path.join(directory, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > "${seen}.part"; mv "${seen}.part" "${seen}"\n`)
    await chmod(path.join(directory, 'xdg-open'), 0o700)
    const environment = { PATH: `${directory}:${process.env['PATH']}`, DISPLAY: ':0' }
    return { environment, seen: () => readFile(seen, 'utf8').catch(() => '') }
  }

  test('opens the URL on this machine without a shell', async () => {
    const { start, dataDirectory } = await setUpAccount()
    const { environment, seen } = await browser(dataDirectory)
    const running = start(['login'], environment)
    expect(await running.waitForLine(/sign in to Linear/)).toContain('Opening your browser')
    const address = await running.waitForLine(/^http/)
    await expect.poll(seen).toBe(address)
  })

  test('is not opened for a page on a different host', async () => {
    const { start, dataDirectory } = await setUpAccount()
    const { environment, seen } = await browser(dataDirectory)
    const running = start(['login'], { ...environment, ISSUE_TRACKER_AUTH_URL: 'https://linear.app.evil.example' })
    expect(await running.waitForLine(/sign in to Linear/)).toContain('open this address in a browser')
    expect(await running.waitForLine(/^http/)).toContain('https://linear.app.evil.example/oauth/authorize')
    running.kill('SIGINT')
    expect((await running.result).code).toBe(130)
    expect(await seen()).toBe('')
  })
})
