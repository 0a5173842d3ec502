import { stat } from 'node:fs/promises'
import path from 'node:path'
import { localClient } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { consent, containing, setUpAccount, fetchPage } from './setup.ts'

const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8)
const person = 'Robin Vance <robin.vance@lodestar.example>'

test('a person signs in, and the server acts as that person until they sign out', async () => {
  const { login, command, file, url, stored, requests } = await setUpAccount()
  const { code, output, errors, page } = await login()
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain(`Signed in to Google as ${person}.`)
  expect(output).toContain('Scopes: drive.file, userinfo.profile, userinfo.email.')
  expect(page).toMatchObject({ status: 200, body: containing('<h1>Signed in to Google</h1>') })
  expect([await modeOf(file), await modeOf(path.dirname(file))]).toEqual(['600', '700'])

  const status = await command(['status', '--json'])
  expect([status.code, JSON.parse(status.output)]).toMatchObject([
    0,
    {
      upstream: url,
      account: person,
      profile: 'default',
      scopes: ['drive.file', 'userinfo.profile', 'userinfo.email'],
      renewed_by_itself: true,
      tools_lacking_a_scope: [],
    },
  ])
  const called = await command(['call', 'CreateFolder', '{"folder_name":"Signed in"}'])
  expect([called.code, JSON.parse(called.output)]).toMatchObject([0, { folder: { name: 'Signed in' } }])
  expect(called.output).not.toContain('embedded')

  const before = await requests('/token')
  const used = (await stored())?.refresh_token ?? ''
  expect(await command(['logout'])).toMatchObject({ code: 0, output: containing('revoked and deleted') })
  const form = { grant_type: 'refresh_token', refresh_token: used, client_id: localClient.id, client_secret: localClient.secret ?? '' }
  expect(await fetchPage(`${url}/token`, { method: 'POST', body: new URLSearchParams(form) })).toMatchObject({
    status: 400,
    body: containing('invalid_grant'),
  })
  expect(await requests('/token')).toBe(before + 1)
  expect(await stored()).toBeUndefined()
})

test('the authorization request asks for the smallest scopes, as Google spells them, and for a refresh token', async () => {
  const { startLogin, url } = await setUpAccount()
  const address = await startLogin().address
  const { state = '', code_challenge: challenge = '', redirect_uri: back = '', ...rest } = Object.fromEntries(address.searchParams)
  const base = 'https://www.googleapis.com/auth/'
  expect(address.origin + address.pathname).toBe(`${url}/o/oauth2/v2/auth`)
  expect(rest).toEqual({
    response_type: 'code',
    client_id: localClient.id,
    scope: `${base}drive.file ${base}userinfo.profile ${base}userinfo.email`,
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
  })
  expect(state).toMatch(/^[\w-]{43}$/)
  expect(challenge).toMatch(/^[\w-]{43}$/)
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/)
})

test('a refusal, a wrong state and a used code store nothing', async () => {
  const { startLogin, stored, login, file } = await setUpAccount()
  const refused = startLogin()
  expect((await fetchPage(await consent(await refused.address, { decision: 'refuse' }))).status).toBe(400)
  expect(await refused.finished).toMatchObject({ code: 1, errors: containing('refused at Google') })
  await expect(stat(file)).rejects.toThrow('ENOENT')

  const replayed = startLogin()
  const back = await consent(await replayed.address)
  const foreign = new URL(back)
  foreign.searchParams.set('state', 'another')
  expect((await fetchPage(foreign)).status).toBe(400)
  back.searchParams.set('code', '4/0Aused')
  expect((await fetchPage(back)).status).toBe(400)
  expect(await replayed.finished).toMatchObject({ code: 1, errors: containing('refused the code') })
  await expect(stat(file)).rejects.toThrow('ENOENT')

  expect((await login()).code).toBe(0)
  expect(await stored()).toMatchObject({ refresh_token: containing('1//0') })
})

test.for([
  [{ FILE_STORAGE_CLIENT_ID: undefined }, 2, 'Set FILE_STORAGE_CLIENT_ID first'],
  [{ FILE_STORAGE_CLIENT_SECRET: '' }, 2, 'FILE_STORAGE_CLIENT_SECRET is set but empty'],
  [{ FILE_STORAGE_AUTH_URL: 'http://accounts.example' }, 2, 'FILE_STORAGE_AUTH_URL must begin with https://'],
] as const)('a login with %j fails before it begins, and says what to set', async ([more, code, said]) => {
  const { command } = await setUpAccount()
  expect(await command(['login', '--no-browser'], more)).toMatchObject({ code, output: '', errors: containing(said) })
})

test('reports a missing client secret', async () => {
  const { startLogin } = await setUpAccount()
  const { address, finished } = startLogin([], { FILE_STORAGE_CLIENT_SECRET: undefined })
  expect((await fetchPage(await consent(await address))).status).toBe(400)
  expect(await finished).toMatchObject({ code: 1, errors: containing('Google refused the token request (invalid_request)') })
})
