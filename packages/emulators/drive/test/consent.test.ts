import { covers } from './covers.ts'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { base, browse, consenting, redirectUri, ticketIn } from './consenting.ts'

const minute = 60_000
const [file, all] = [`${base}drive.file`, `${base}drive`]
const parametersOf = ({ searchParams }: URL) => Object.fromEntries(searchParams)

describe('the consent page', () => {
  it('names application, account and scopes, and runs no script', covers('oauth/page'), async () => {
    const { open } = await consenting()
    const { status, headers, body } = await open({ scope: `openid email ${file} ${all}`, login_hint: 'ada.okafor@lodestar.example' })
    expect(status).toBe(200)
    expect(body).toContain('<h1>Give A &lt;b&gt;desktop&lt;/b&gt; access?</h1>')
    for (const text of [
      'not Google',
      'Robin Vance (robin.vance@lodestar.example)',
      '<option value="ada.okafor@lodestar.example" selected>',
      `${base}userinfo.email`,
      file,
      all,
      '127.0.0.1:51234',
    ])
      expect(body).toContain(text)
    expect(body.match(/type="checkbox"/g)).toHaveLength(2)
    expect(body).not.toMatch(/<script|<b>| style=|team-engineering/)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self' http:\/\/127\.0\.0\.1:51234; frame-ancestors 'none'$/,
    )
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'same-origin'])
  })

  it('redirects with code, state and scopes, or with the refusal', covers('oauth/answer'), async () => {
    const { consent, exchange } = await consenting()
    const back = await consent()
    expect([back.origin + back.pathname, parametersOf(back)]).toMatchObject([redirectUri, { scope: file, state: 'st&te' }])
    expect(back.searchParams.get('code')).toMatch(/^4\/0A/)
    expect(await exchange(back.searchParams.get('code'))).toMatchObject({ status: 200 })
    const refused = parametersOf(await consent({}, { decision: 'refuse' }))
    expect(refused).toEqual({ error: 'access_denied', error_description: 'The person refused.', state: 'st&te' })
  })

  it('lets a person deselect scopes other than those of the profile', covers('oauth/some-scopes'), async () => {
    const { consent, exchange, store } = await consenting()
    const scope = `openid profile ${file} ${all}`
    const profile = `openid ${base}userinfo.profile`
    const back = await consent({ scope }, { scopes: [file] })
    expect(back.searchParams.get('scope')).toBe(`${profile} ${file}`)
    expect(await exchange(back.searchParams.get('code'))).toMatchObject({ scope: `${profile} ${file}` })
    expect(parametersOf(await consent({ scope: `${file} ${all}` }))).toMatchObject({ error: 'access_denied', state: 'st&te' })
    expect(store.grants()).toHaveLength(1)
  })

  it('accepts one same-origin answer before it expires', covers('oauth/page-lifetime'), async () => {
    const { open, answer, pass, url, store } = await consenting()
    const [first, second, third] = [await open(), await open(), await open()].map(({ body }) => ticketIn(body))
    for (const origin of ['https://evil.example', 'null', url.replace('127.0.0.1', 'localhost')])
      expect((await answer(first ?? '', { origin })).status).toBe(403)
    expect((await browse(`${url}/o/oauth2/v2/auth`, { form: new URLSearchParams({ ticket: first ?? '' }) })).status).toBe(403)
    expect(store.grants()).toEqual([])
    expect((await answer(first ?? '')).status).toBe(303)
    for (const ticket of [first ?? '', 'guessed', '']) expect((await answer(ticket)).status).toBe(400)
    pass(10 * minute - 1)
    expect((await answer(second ?? '')).status).toBe(303)
    pass(1)
    expect((await answer(third ?? '')).status).toBe(400)
  })

  it('is served only to loopback hosts, not to an in-process fetch', covers('oauth/browsers'), async () => {
    const { url, fetch } = await consenting()
    const page = `${url}/o/oauth2/v2/auth?client_id=desktop`
    const status = (host: string) =>
      new Promise((resolve) => {
        request(page, { headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).end()
      })
    for (const host of ['evil.example', '127.0.0.1.evil.example']) expect(await status(host)).toBe(403)
    expect((await fetch('https://accounts.google.com/o/oauth2/v2/auth?client_id=desktop')).status).toBe(403)
  })

  it.each([
    'https://evil.example/back',
    'http://127.0.0.1.evil.example/back',
    'http://127.0.0.1@evil.example/back',
    'http://127.0.0.1:80@evil.example/back',
    'http://127.0.0.1:1/back#more',
    'https://127.0.0.1:1/back',
    'https://site.example/back',
    'urn:ietf:wg:oauth:2.0:oob',
    '',
  ])('leads installed applications nowhere but to loopback: %s', covers('oauth/other-addresses'), async (address) => {
    const { open } = await consenting()
    for (const client of ['desktop', 'phone']) {
      const { status, location, body } = await open({ redirect_uri: address, client_id: client })
      expect([status, location]).toEqual([400, ''])
      expect(body).toContain('redirect_uri_mismatch')
    }
  })

  it(
    'redirects installed applications to any loopback URL, and web applications to registered URLs',
    covers('oauth/loopback'),
    async () => {
      const { open } = await consenting()
      for (const address of ['http://127.0.0.1/', 'http://localhost:1/a/b?c=d', 'http://[::1]:65535/back'])
        expect((await open({ redirect_uri: address })).status).toBe(200)
      expect((await open({ client_id: 'site', redirect_uri: 'https://site.example/back' })).status).toBe(200)
      expect((await open({ client_id: 'site', redirect_uri: 'https://site.example/back/' })).status).toBe(400)
    },
  )

  it.each([
    [{ client_id: 'nobody' }, 'invalid_client'],
    [{ response_type: undefined }, 'Required parameter is missing: response_type'],
    [{ response_type: 'token' }, 'invalid_request'],
    [{ scope: undefined }, 'invalid_request'],
    [{ scope: `${file},${all}` }, 'invalid_scope'],
    [{ scope: 'https://www.googleapis.com/auth/gmail.readonly' }, 'invalid_scope'],
    [{ access_type: 'always' }, 'invalid_request'],
    [{ prompt: 'please' }, 'invalid_request'],
    [{ prompt: 'none consent' }, 'invalid_request'],
    [{ include_granted_scopes: 'yes' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
  ])('shows the person, not the application, what is wrong with %j', covers('oauth/request-errors'), async (changed, words) => {
    const { open } = await consenting()
    const { status, location, body } = await open(changed)
    expect([status, location]).toEqual([400, ''])
    expect(body).toContain(words)
  })

  it('answers prompt=none with interaction_required', covers('oauth/prompt-none'), async () => {
    const { open } = await consenting()
    const { status, location } = await open({ prompt: 'none' })
    expect([status, parametersOf(new URL(location))]).toMatchObject([302, { error: 'interaction_required', state: 'st&te' }])
  })
})
