import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { textAt } from '../storage.ts'
import { press } from './choosing.ts'
import { consent, containing, signingIn, visit } from './signing-in.ts'

const picker = 'FileStorage.GenerateFilePickerUrl'

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

/** Somebody who is signed in, with a file that the application was not given. */
async function signedIn(args: readonly string[] = []) {
  const google = await signingIn()
  const id = google.emulator.plant({ name: 'plan.txt', content: 'text' })
  await google.login(args)
  return { ...google, id, rename: ['FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'Plan.txt' }] as const }
}

/** Allows, selects files, and comes back as the browser does. */
async function choose(url: string, ids: readonly string[], more: (back: URL) => void = () => undefined) {
  const page = await consent(new URL(url))
  const { location } = await press(page.href, 'give', { ticked: ids })
  const back = new URL(location)
  more(back)
  return { back, ...(await visit(back)) }
}

test("Google's own picker is asked for with one scope, and ends in a file that can be used without a restart", async () => {
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
    state: matching(/^[\w-]{32}$/),
    redirect_uri: matching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/),
    login_hint: 'robin.vance@lodestar.example',
  })
  const { status, body, back } = await choose(address.href, [id])
  expect([status, body]).toEqual([200, containing('<h1>Your files are ready</h1>')])
  expect(back.searchParams.get('picked_file_ids')).toBe(id)
  expect(await server.call(...rename)).toMatchObject({ item: { name: 'Plan.txt' } })

  // The login is the one that was there, and no grant was revoked, which would have ended it.
  expect(await stored()).toEqual(before)
  expect(emulator.store.grants().map(({ revokedAt }) => revokedAt)).toEqual([null, null])
  await expect.poll(() => visit(back).catch(() => 'nobody listens')).toBe('nobody listens')
})

test('a client that opens pages for its person is asked to, and one call does it all', async () => {
  const { server: open, id, rename } = await signedIn()
  const opened: string[] = []
  const server = await open({
    visit: async (url) => {
      opened.push(url)
      await choose(url, [id])
    },
  })
  expect(await server.fails(...rename)).toMatchObject({ code: 'not_found' })
  expect(await server.call(picker)).toMatchObject({ flow: 'oauth', url: opened[0] })
  expect(opened.length).toBe(1)
  expect(await server.call(...rename)).toMatchObject({ item: { name: 'Plan.txt' } })
})

test('whoever asks again is given the page that waits, and another one after it was used', async () => {
  const { server: open, id } = await signedIn()
  const server = await open()
  const first = textAt(await server.call(picker), 'url')
  expect(textAt(await server.call(picker), 'url')).toBe(first)
  await choose(first, [id])
  expect(textAt(await server.call(picker), 'url')).not.toBe(first)
})

test('a refusal, a foreign state and a used code give nothing', async () => {
  const { server: open, id, rename, requests } = await signedIn()
  const server = await open()
  const refused = await visit(await consent(new URL(textAt(await server.call(picker), 'url')), { decision: 'refuse' }))
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
  expect(await visit(foreign.back)).toMatchObject({ status: 400, body: containing('Google did not confirm') })
})

test('files of another account are said to be of no use', async () => {
  const { server: open, id, change } = await signedIn()
  await change((login) => {
    login.identity = { account: 'Somebody Else <else@lodestar.example>' }
  })
  const server = await open()
  const { status, body } = await choose(textAt(await server.call(picker), 'url'), [id])
  expect([status, body]).toEqual([400, containing('signed in as Somebody Else')])
})

test.for([
  ['drive', 'scope drive)'],
  ['drive.readonly', 'login --scopes drive.file'],
])('with the scope %s it cannot help, and says why', async ([scope = '', said = '']) => {
  const { server: open } = await signedIn(['--scopes', scope])
  expect(await (await open()).call(picker)).toMatchObject({ url: null, expires_at: null, flow: 'oauth', how_to_retry: containing(said) })
})

test('a token of the host needs its client named; where nobody is signed in, the token of the picker is kept', async () => {
  const {
    server: open,
    stored,
    file,
    id,
    emulator,
  } = await signingIn({ accessToken: 't', scopes: ['drive.file'] }).then((google) => ({
    ...google,
    id: google.emulator.plant({ name: 'plan.txt', content: 'text' }),
  }))
  const unset = { FILE_STORAGE_ACCESS_TOKEN: 't', FILE_STORAGE_CLIENT_ID: '' }
  const without = await open({ environment: unset })
  expect(await without.fails(picker)).toMatchObject({ code: 'unauthenticated', message: containing('FILE_STORAGE_CLIENT_ID') })
  const server = await open({ environment: { FILE_STORAGE_ACCESS_TOKEN: 't' } })
  await choose(textAt(await server.call(picker), 'url'), [id])
  expect(await stored()).toMatchObject({ scopes: ['drive.file'], identity: { account: containing('Robin Vance') } })
  const before = await stored()
  await choose(textAt(await server.call(picker), 'url'), [id])
  expect(await stored()).toEqual(before)
  expect(emulator.store.grants().every(({ revokedAt }) => revokedAt === null)).toBe(true)
  await rm(file)
})

test('a page of Google ends with the server', async () => {
  const { server: open } = await signedIn()
  const server = await open()
  const back = new URL(textAt(await server.call(picker), 'url')).searchParams.get('redirect_uri') ?? ''
  expect((await visit(back)).status).toBe(400)
  await server[Symbol.asyncDispose]()
  await expect(visit(back)).rejects.toThrow('fetch failed')
})
