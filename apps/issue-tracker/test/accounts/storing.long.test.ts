import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { openTokenStore } from '@mcp-toolkits/server/account'
import { runProgram } from '@mcp-toolkits/testing'
import { describe, expect, test } from 'vitest'
import { containing, setUpAccount, type AccountSetup, fetchPage } from './setup.ts'

const place = { server: 'issue-tracker', profile: 'default' }
const list = 'IssueTracker.ListTeams'
const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** Replaces the lock with a directory, which stops even root. The returned function undoes this. */
async function block(dataDirectory: string) {
  const lock = path.join(dataDirectory, 'accounts', 'credentials.lock')
  await rm(lock, { force: true })
  await mkdir(lock)
  return async () => rm(lock, { recursive: true })
}

test.runIf(process.platform !== 'win32')('a full disk does not lose the file, and the failed write is logged', async () => {
  const { login, expireToken, file, environment, issued } = await setUpAccount()
  await login()
  await expireToken()
  const before = await readFile(file, 'utf8')
  const limited = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, main, 'call', 'ListTeams']
  const child = spawn('/bin/sh', limited, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], ...environment } })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(JSON.parse(output)).toHaveProperty('teams')
  expect(errors).toContain('"outcome":"refreshed, but not stored","reason":"EFBIG","server":"issue-tracker","profile":"default"')
  expect(await readFile(file, 'utf8')).toBe(before)
  expect(issued()).toEqual([2])
})

test('stores tokens later when they could not be stored at first', async () => {
  const { login, server: open, expireToken, stored, dataDirectory, issued } = await setUpAccount({ lifetimes: { refreshGrace: 0 } })
  await login()
  await expireToken()
  const first = await stored()
  const server = await open()
  const unblock = await block(dataDirectory)
  await server.call(list)
  expect(await stored()).toEqual(first)
  await unblock()
  await server.call(list)
  await expect.poll(async () => (await stored()).refresh_token).not.toBe(first.refresh_token)
  await (await open()).call(list)
  expect(issued()).toEqual([2])
})

describe.runIf(process.platform !== 'win32')('a login that could not be stored', () => {
  test.each([
    ['a directory that others can write to', async (file: string) => chmod(path.dirname(file), 0o770), 'can be changed by other users'],
    ['a file that others can write to', async (file: string) => chmod(file, 0o660), 'can be changed by other users'],
    ['a file of a newer version', async (file: string) => writeFile(file, '{"version":2}'), 'newer version'],
  ] as const)('opens no browser: %s', async (_, spoil, said) => {
    const { login, refused, file, emulator } = await setUpAccount()
    await login()
    await spoil(file)
    const { code, output, errors } = await refused()
    expect([code, output, errors.trim().split('\n').length]).toEqual([1, '', 1])
    expect(errors).toContain(said)
    expect(emulator.store.grants()).toHaveLength(1)
  })

  test('names the file when the disk is the reason', async () => {
    const { login, refused, dataDirectory, file } = await setUpAccount()
    await login()
    await block(dataDirectory)
    const said = `issue-tracker: The login cannot be stored, because ${file} cannot be written (ERR_SQLITE_ERROR).\n`
    expect(await refused()).toMatchObject({ code: 1, output: '', errors: said })
  })

  test('is revoked if it is the first, but not if that would end another login', async () => {
    const { startLogin, consent, login, command, dataDirectory, emulator, requests } = await setUpAccount()
    const attempt = async () => {
      const { address, end } = await startLogin()
      const back = await consent(address)
      const unblock = await block(dataDirectory)
      expect((await fetchPage(back)).status).toBe(400)
      expect((await end()).code).toBe(1)
      await unblock()
    }
    await attempt()
    expect(emulator.store.grants()).toMatchObject([{ issued: 1, revokedAt: containing('T') }])
    expect((await login()).code).toBe(0)
    const before = await requests('/oauth/revoke')
    await attempt()
    expect(await requests('/oauth/revoke')).toBe(before)
    expect((await command(['call', 'ListTeams'])).code).toBe(0)
  })

  test('is reported when it cannot be revoked', async () => {
    const { startLogin, consent, dataDirectory, emulator } = await setUpAccount()
    const { address, end } = await startLogin()
    const back = await consent(address)
    // The API refuses the token, and the provider cannot be reached to revoke it.
    emulator.faults.add({ match: { path: '/graphql' }, times: 9, action: { kind: 'status', status: 401 } })
    emulator.faults.add({ match: { path: '/oauth/revoke' }, times: 9, action: { kind: 'drop_before' } })
    expect((await fetchPage(back)).body).toContain('still accepts the login')
    expect(await end()).toMatchObject({ code: 1, errors: containing('Remove the application in your account settings') })
    await expect(readFile(path.join(dataDirectory, 'accounts', 'credentials.json'))).rejects.toThrow('ENOENT')
  })
})

describe('while another process is busy with a login', () => {
  /** Holds the login's lock until the test releases it. */
  async function holdLock(person: AccountSetup) {
    const released = Promise.withResolvers<undefined>()
    const entered = Promise.withResolvers<undefined>()
    const holding = openTokenStore(person.dataDirectory).withLock(place, () => {
      entered.resolve(undefined)
      return released.promise
    })
    await entered.promise
    return async () => {
      released.resolve(undefined)
      await holding
    }
  }

  /** A program that runs long enough to do harm if a command does not wait for the lock. */
  const otherProgram = ({ environment }: AccountSetup) => runProgram([main, 'tools'], environment)

  test('login does not store a second one', async () => {
    const person = await setUpAccount()
    const { startLogin, consent, file, requests } = person
    const { address, end } = await startLogin()
    const back = await consent(address)
    const release = await holdLock(person)
    const page = fetchPage(back)
    await expect.poll(() => requests('/graphql')).toBe(1)
    const first = await Promise.race([page, otherProgram(person)])
    expect(first).toMatchObject({ code: 0 })
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    await release()
    expect((await page).status).toBe(200)
    expect((await end()).code).toBe(0)
  })

  test('logout revokes nothing', async () => {
    const person = await setUpAccount()
    const { login, command, requests, stored } = person
    await login()
    const release = await holdLock(person)
    const leaving = command(['logout'])
    const first = await Promise.race([leaving, otherProgram(person)])
    expect(first.output).toContain('ListTeams')
    expect(await requests('/oauth/revoke')).toBe(0)
    expect(await stored()).toHaveProperty('access_token')
    await release()
    expect((await leaving).code).toBe(0)
  })
})
