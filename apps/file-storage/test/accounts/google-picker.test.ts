import { access, rm } from 'node:fs/promises'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { fetchPage } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openGooglePicker } from '../../src/picker/google.ts'
import { openDrive } from '../../src/vendor.ts'
import { textAt } from '../storage.ts'
import { press } from './choosing.ts'
import { consent, containing, setUpAccount } from './setup.ts'

const picker = 'FileStorage.GenerateFilePickerUrl'

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

/** A signed-in person, with a file that the application may not use. */
async function signedIn(args: readonly string[] = []) {
  const google = await setUpAccount()
  const id = google.emulator.addItem({ name: 'plan.txt', content: 'text' })
  await google.login(args)
  return { ...google, id, rename: ['FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'Plan.txt' }] as const }
}

/** Allows, selects files, and comes back as the browser does. */
async function choose(url: string, ids: readonly string[], more: (back: URL) => void = () => undefined) {
  const page = await consent(new URL(url))
  const { location } = await press(page.href, 'give', { ticked: ids })
  const back = new URL(location)
  more(back)
  return { back, ...(await fetchPage(back)) }
}

test('the Google picker requests one scope, and the selected file can be used without a restart', async () => {
  const { server: open, stored, id, rename, emulator, url: google } = await signedIn()
  const server = await open()
  expect(await server.fails(...rename)).toMatchObject({ code: 'not_found', next: { tool: 'FileStorage_GenerateFilePickerUrl' } })
  const before = await stored()

  const offered = await server.call(picker)
  expect(offered).toMatchObject({ flow: 'oauth', how_to_retry: containing('no restart') })
  const address = new URL(textAt(offered, 'url'))
  expect(address.origin).toBe(google)
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    scope: 'https://www.googleapis.com/auth/drive.file',
    response_type: 'code',
    access_type: 'offline',
    prompt: 'consent',
    trigger_onepick: 'true',
    include_granted_scopes: 'false',
    code_challenge_method: 'S256',
    code_challenge: matching(/^[\w-]{43}$/),
    state: matching(/^[\w-]{43}$/),
    redirect_uri: matching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/),
  })
  expect(decodeURIComponent(address.href)).not.toContain('robin')
  const { status, body, back } = await choose(address.href, [id])
  expect([status, body]).toEqual([200, containing('<h1>Your files are ready</h1>')])
  expect(body).toContain('You chose 1 item, which can be used now.')
  expect(body).not.toContain('logout')
  expect(back.searchParams.get('picked_file_ids')).toBe(id)
  expect(await server.call(...rename)).toMatchObject({ item: { name: 'Plan.txt' } })

  // The login is unchanged, and no grant was revoked, which would have ended the login.
  expect(await stored()).toEqual(before)
  expect(emulator.store.grants().map(({ revokedAt }) => revokedAt)).toEqual([null, null])
  await expect.poll(() => fetchPage(back).catch(() => 'closed')).toBe('closed')
})

test('a client that can open pages is asked to open the picker, and one call does everything', async () => {
  const { server: open, id, rename } = await signedIn()
  const opened: string[] = []
  const server = await open({
    openUrl: async (url) => {
      opened.push(url)
      await choose(url, [id])
    },
  })
  expect(await server.fails(...rename)).toMatchObject({ code: 'not_found' })
  expect(await server.call(picker)).toMatchObject({ flow: 'oauth', url: opened[0] })
  expect(opened.length).toBe(1)
  expect(await server.call(...rename)).toMatchObject({ item: { name: 'Plan.txt' } })
})

test('a second call returns the open page, or a new one once that has been used', async () => {
  const { server: open, id } = await signedIn()
  const server = await open()
  const first = textAt(await server.call(picker), 'url')
  expect(textAt(await server.call(picker), 'url')).toBe(first)
  await choose(first, [id])
  expect(textAt(await server.call(picker), 'url')).not.toBe(first)
})

test('a refusal, a wrong state and a used code give no access', async () => {
  const { server: open, id, rename, requests } = await signedIn()
  const server = await open()
  const refused = await fetchPage(await consent(new URL(textAt(await server.call(picker), 'url')), { decision: 'refuse' }))
  expect(refused).toMatchObject({ status: 400, body: containing('nothing has changed') })
  expect(await server.fails(...rename)).toMatchObject({ code: 'not_found' })

  const before = await requests('/token')
  const url = textAt(await server.call(picker), 'url')
  const foreign = await choose(url, [id], (back) => {
    back.searchParams.set('state', 'another')
  })
  expect([foreign.status, await requests('/token')]).toEqual([400, before])
  foreign.back.searchParams.set('state', new URL(url).searchParams.get('state') ?? '')
  foreign.back.searchParams.set('code', '4/0Aused')
  expect(await fetchPage(foreign.back)).toMatchObject({ status: 400, body: containing('Google did not confirm') })
})

test('rejects files that another account has selected', async () => {
  const { server: open, id, change } = await signedIn()
  await change((login) => {
    login.identity = { account: 'Somebody Else <else@lodestar.example>' }
  })
  const server = await open()
  const { status, body } = await choose(textAt(await server.call(picker), 'url'), [id])
  expect([status, body]).toEqual([400, containing('works as Somebody Else')])
})

test.for([
  ['drive', 'drive scope)'],
  ['drive.readonly', 'file-storage-mcp login --scopes drive.readonly,drive.file --profile work'],
])('with the scope %s, it explains why it cannot help', async ([scope = '', said = '']) => {
  const { server: open } = await signedIn(['--scopes', scope, '--profile', 'work'])
  expect(await (await open({ profile: 'work' })).call(picker)).toMatchObject({
    url: null,
    expires_at: null,
    flow: 'oauth',
    how_to_retry: containing(said),
  })
})

/** A token in the environment and no login, with a file that the application may not use. */
async function tokenOfTheHost() {
  const google = await setUpAccount({ accessToken: 't', scopes: ['drive.file'] })
  return { ...google, id: google.emulator.addItem({ name: 'plan.txt', content: 'text' }), token: { FILE_STORAGE_ACCESS_TOKEN: 't' } }
}

test('an environment token needs the client id that it belongs to', async () => {
  const { server: open, token } = await tokenOfTheHost()
  const without = await open({ environment: { ...token, FILE_STORAGE_CLIENT_ID: undefined }, profile: 'work' })
  const next = { command: 'file-storage-mcp login --profile work' }
  expect(await without.fails(picker)).toMatchObject({ code: 'unauthenticated', message: containing('does not know the application'), next })
})

test('without a login, the token from the picker is stored as one, and the page and the log say so', async () => {
  const { server: open, stored, file, id, emulator, token, command } = await tokenOfTheHost()
  const server = await open({ environment: token })
  const { body } = await choose(textAt(await server.call(picker), 'url'), [id])
  expect(body).toContain('so this one is, as Robin Vance &#60;robin.vance@lodestar.example&#62;')
  expect(body).toContain('run: file-storage-mcp logout')
  const undo = 'file-storage-mcp logout'
  expect(server.logLines.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'picker', outcome: 'login stored', undo }),
  )
  expect(await stored()).toMatchObject({ scopes: ['drive.file'], identity: { account: containing('Robin Vance') } })
  const before = await stored()
  const again = await choose(textAt(await server.call(picker), 'url'), [id])
  expect([again.status, again.body]).toEqual([200, containing('Your files are ready')])
  expect(again.body).not.toContain('logout')
  expect(await stored()).toEqual(before)
  expect(emulator.store.grants().every(({ revokedAt }) => revokedAt === null)).toBe(true)
  expect(await command(['logout'])).toMatchObject({ code: 0 })
  await rm(file)
})

test('rejects files selected by someone other than the owner of the environment token, and stores no login', async () => {
  const { server: open, id, token, file } = await tokenOfTheHost()
  /** A Google that says that the environment's token belongs to someone else. */
  const asAl: Fetch = async (input, init) => {
    const headers = input instanceof Request ? input.headers : new Headers(init?.headers)
    const isOfTheHost = headers.get('authorization') === 'Bearer t'
    const response = await fetch(input, init)
    if (!isOfTheHost || !response.url.includes('/about')) return response
    return Response.json({ user: { displayName: 'Al', emailAddress: 'al@x.example' } })
  }
  const server = await open({ environment: token, fetch: asAl })
  const { status, body } = await choose(textAt(await server.call(picker), 'url'), [id])
  expect([status, body]).toEqual([400, containing('works as Al &#60;al@')])
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('selecting nothing changes nothing, and the page says so', async () => {
  const { server: open, id, token, file, requests } = await tokenOfTheHost()
  const server = await open({ environment: token })
  const { status, body } = await choose(textAt(await server.call(picker), 'url'), [id], (back) => {
    back.searchParams.set('picked_file_ids', '')
  })
  expect([status, body]).toEqual([400, containing('<h1>No files were chosen</h1>')])
  expect(await requests('/token')).toBe(0)
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('a client on another machine gets a command instead of a page', async () => {
  const { server: open } = await signedIn(['--profile', 'work'])
  const server = await open({ profile: 'work', servesOtherMachines: true })
  const command = 'file-storage-mcp call GenerateFilePickerUrl --profile work'
  expect(await server.call(picker)).toMatchObject({ url: null, expires_at: null, flow: 'oauth', how_to_retry: containing(`"${command}"`) })
})

test('the page closes if the person takes too long', async () => {
  const { environment, dataDirectory } = await signedIn()
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const vendor = await openDrive(settings, {})
  onTestFinished(() => vendor.close())
  const target = await vendor.tokens?.login()
  if (!target) throw new Error('There is no login.')
  const clock = new ManualClock()
  const { url, ended } = await openGooglePicker({ settings, vendor, target, lifetimeMs: 30_000, clock })
  await clock.advance(30_000)
  await ended
  await expect(fetchPage(new URL(url).searchParams.get('redirect_uri') ?? '')).rejects.toThrow('fetch failed')
})

test('the loopback server closes with the server', async () => {
  const { server: open } = await signedIn()
  const server = await open()
  const back = new URL(textAt(await server.call(picker), 'url')).searchParams.get('redirect_uri') ?? ''
  expect((await fetchPage(back)).status).toBe(400)
  await server[Symbol.asyncDispose]()
  await expect(fetchPage(back)).rejects.toThrow('fetch failed')
})
