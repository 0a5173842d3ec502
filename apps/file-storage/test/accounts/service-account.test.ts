import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { containing, setUpAccount } from './setup.ts'

const email = 'robot@project.iam.gserviceaccount.com'
const robin = 'robin.vance@lodestar.example'
const drive = 'https://www.googleapis.com/auth/drive'
const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: pem('spki'), privateKeyEncoding: pem('pkcs8') })
const pem = <Type extends string>(type: Type) => ({ type, format: 'pem' }) as const
const { publicKey, privateKey } = keyPair()

/** A key file as Google makes it. */
const keyFile = (changed: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'project',
    private_key_id: 'key-1',
    private_key: privateKey,
    client_email: email,
    token_uri: 'https://evil.example/token',
    ...changed,
  })

/** An emulated Google with a service account, and servers that use the account. */
async function setUp({ clock = new ManualClock({ start: Date.now() }), delegatedScopes = [drive] } = {}) {
  const google = { ahead: 0 }
  const account = await setUpAccount({
    serviceAccounts: [{ email, keyId: 'key-1', publicKey, delegatedScopes }],
    // Retries wait for fractions of a millisecond.
    now: () => Math.floor(clock.now()) + google.ahead,
  })
  const server = (more: Readonly<Record<string, string>> = {}) =>
    account.server({ environment: { FILE_STORAGE_SERVICE_ACCOUNT: keyFile(), ...more }, clock })
  /** `google.ahead`: the number of milliseconds by which Google's clock is ahead. */
  return { ...account, server, clock, google }
}

describe('a service account', () => {
  it('acts for itself, with one token until that is about to expire', async () => {
    const { server, requests, clock } = await setUp()
    const robot = await server()
    expect(await robot.call('FileStorage.WhoAmI')).toMatchObject({ user: { email } })
    await Promise.all(Array.from({ length: 5 }, () => robot.call('FileStorage.CreateFolder', { folder_name: crypto.randomUUID() })))
    expect(await robot.call('FileStorage.GetFileTreeStructure')).toMatchObject({ item_count: 5 })
    expect(await requests('/token')).toBe(1)
    await clock.advance(3_545_000)
    await robot.call('FileStorage.WhoAmI')
    expect(await requests('/token')).toBe(2)
  })

  it('gets a new token when the vendor refuses one', async () => {
    const { server, requests, emulator } = await setUp()
    const robot = await server()
    await robot.call('FileStorage.WhoAmI')
    emulator.faults.add({ match: { path: '/drive/v3/about' }, times: 1, action: { kind: 'status', status: 401 } })
    expect(await robot.call('FileStorage.WhoAmI')).toMatchObject({ user: { email } })
    expect(await requests('/token')).toBe(2)
  })

  it('acts for a person of the organization, as far as that is delegated', async () => {
    const { server } = await setUp({ delegatedScopes: [`${drive}.readonly`] })
    const subject = { FILE_STORAGE_SERVICE_ACCOUNT_SUBJECT: robin }
    const reader = await server({ ...subject, FILE_STORAGE_SERVICE_ACCOUNT_SCOPES: 'drive.readonly' })
    expect(await reader.call('FileStorage.WhoAmI')).toMatchObject({ user: { email: robin } })
    expect(await reader.fails('FileStorage.CreateFolder', { folder_name: 'x' })).toMatchObject({
      code: 'forbidden',
      message: containing('set FILE_STORAGE_SERVICE_ACCOUNT_SCOPES to drive.readonly,drive'),
      next: { command: containing('file-storage-mcp status') },
    })
    const writer = await server(subject)
    expect(await writer.fails('FileStorage.WhoAmI')).toMatchObject({
      code: 'unauthenticated',
      message: containing(`Google does not let the service account ${email} act for ${robin} with the scopes drive. An administrator`),
    })
  })

  it('has no picker, and says with whom to share', async () => {
    const { server } = await setUp()
    expect(await (await server()).fails('FileStorage.GenerateFilePickerUrl')).toMatchObject({
      message: containing(`shared with that address`),
    })
  })

  it.each([
    ['another key', { private_key: keyPair().privateKey }, `Google refused the service account ${email} (invalid_grant)`],
    ['another account', { client_email: 'other@project.iam.gserviceaccount.com' }, 'Google refused the service account other@'],
    ['a broken key', { private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }, 'cannot be used. Download a new'],
    ['no key', { private_key: undefined }, "must contain the JSON of a service account's key file"],
    ['the key of something else', { type: 'authorized_user' }, 'set FILE_STORAGE_SERVICE_ACCOUNT_FILE'],
  ])('with %s is refused, and never becomes the embedded default', async (_, changed, message) => {
    const { server } = await setUp()
    const robot = await server({ FILE_STORAGE_SERVICE_ACCOUNT: keyFile(changed) })
    const error = await robot.fails('FileStorage.WhoAmI')
    expect(error).toMatchObject({ code: 'unauthenticated', message: containing(message) })
    expect(JSON.stringify([error, robot.logLines])).not.toMatch(/BEGIN|eyJ/)
  })

  it('works once the clock is right, without a restart', async () => {
    const { server, google } = await setUp()
    const robot = await server()
    google.ahead = 7_200_000
    expect(await robot.fails('FileStorage.WhoAmI')).toMatchObject({ message: containing("this machine's clock is wrong") })
    google.ahead = 0
    expect(await robot.call('FileStorage.WhoAmI')).toMatchObject({ user: { email } })
  })

  it('keeps working when Google briefly cannot issue tokens', async () => {
    const { server, emulator } = await setUp()
    const robot = await server()
    emulator.faults.add({ match: { path: '/token' }, times: 1, action: { kind: 'status', status: 503 } })
    expect(await robot.call('FileStorage.WhoAmI')).toMatchObject({ user: { email } })
  })
})

describe('the commands of a service account', () => {
  it('read its key from a file, and say whose it is', async () => {
    const { command, dataDirectory } = await setUp({ clock: new ManualClock({ start: Date.now() }) })
    const file = path.join(dataDirectory, 'key.json')
    await writeFile(file, `${keyFile()}\n`)
    const status = await command(['status'], { FILE_STORAGE_SERVICE_ACCOUNT_FILE: file })
    expect([status.code, status.output]).toEqual([0, containing(`account: ${email}`)])
    const checked = await command(['http', '--check'], { FILE_STORAGE_SERVICE_ACCOUNT_FILE: file })
    expect([checked.code, checked.output]).toEqual([0, containing('with FILE_STORAGE_SERVICE_ACCOUNT\n')])
    expect(status.output + status.errors + checked.output).not.toMatch(/BEGIN|eyJ/)
  })

  it('do not serve people with it', async () => {
    const { command } = await setUp()
    const refused = await command(['http', '--check', '--issuer', 'https://id.example', '--public-url', 'https://files.example'], {
      FILE_STORAGE_SERVICE_ACCOUNT: keyFile(),
    })
    expect([refused.code, refused.errors]).toEqual([2, containing('--issuer cannot be combined with FILE_STORAGE_SERVICE_ACCOUNT')])
  })
})
