import { Forbidden, redact, Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { type AuthorizationOptions, authorize } from './authorization.ts'
import type { AuthorizationCode } from './oauth-client.ts'
import { acme as provider } from '../../../test/account/acme.ts'

interface StartOptions extends Partial<Pick<AuthorizationOptions, 'signal' | 'timeout'>> {
  /** Runs after the browser has returned. */
  readonly finish?: () => Promise<void>
}

/** An authorization in which `comeBack` acts as the returning browser. */
function startAuthorization(
  comeBack: (back: URL) => Promise<unknown>,
  { signal = new AbortController().signal, finish = () => Promise.resolve(), ...more }: StartOptions = {},
) {
  const shown: URL[] = []
  const codes: AuthorizationCode[] = []
  const options: AuthorizationOptions = {
    provider,
    endpoint: provider.endpoints.authorization,
    clientId: 'desktop',
    scopes: ['read'],
    port: 0,
    signal,
    ...more,
    onUrl: (url) => {
      const address = new URL(url)
      shown.push(address)
      const back = new URL(address.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('state', address.searchParams.get('state') ?? '')
      void comeBack(back)
      return Promise.resolve()
    },
  }
  const done = authorize(options, async (code) => {
    codes.push(code)
    await finish()
    return { result: 'done', page: { status: 200, title: 'Done', paragraphs: [] } }
  })
  return { done, shown, codes }
}

const goBack = (parameters: Readonly<Record<string, string>>) => async (back: URL) => {
  for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
  return (await fetch(back)).text()
}

it('completes with the code, the verifier and the redirect address of the request', async () => {
  const { done, shown, codes } = startAuthorization(goBack({ code: 'c-1' }))
  expect(await done).toBe('done')
  expect(codes).toMatchObject([{ code: 'c-1', redirectUri: shown[0]?.searchParams.get('redirect_uri') }])
  expect(shown[0]?.href).not.toContain(codes[0]?.verifier)
})

it('makes the code, the verifier and the state known as secrets once the browser is back, and not while the state is shown', async () => {
  const { done, shown, codes } = startAuthorization(async (back) => {
    expect(redact(back.href)).toBe(back.href)
    return goBack({ code: 'canary-code-0123456789' })(back)
  })
  await done
  const state = shown[0]?.searchParams.get('state') ?? ''
  expect(state.length).toBeGreaterThan(20)
  expect([state, codes[0]?.code ?? '', codes[0]?.verifier ?? ''].map(redact)).toEqual(['[secret]', '[secret]', '[secret]'])
})

it.each([
  [{ error: 'access_denied' }, 'was refused at Acme'],
  [{ error: 'access_denied', code: 'c-1' }, 'was refused at Acme'],
  [{ error: 'server_error', error_description: '<b>' }, 'Acme refused the request (server_error).'],
  [{ error: '<script>' }, 'Acme refused the request.'],
  [{ error: '' }, 'Acme refused the request.'],
  [{}, 'without a code'],
  [{ code: '' }, 'without a code'],
])('fails without a code when the browser returns with %j', async (parameters, message) => {
  let page = ''
  const { done, codes } = startAuthorization(async (back) => {
    page = await goBack(parameters)(back)
  })
  await expect(done).rejects.toThrow(message)
  await expect.poll(() => page).toContain('<h1>Not signed in to Acme</h1>')
  expect(page).not.toMatch(/<script|<b>/)
  expect(codes).toEqual([])
})

it('stops listening when the signal is aborted', async () => {
  const giveUp = new AbortController()
  const { done, shown } = startAuthorization(
    () => {
      giveUp.abort(new Forbidden('Late.'))
      return Promise.resolve()
    },
    { signal: giveUp.signal },
  )
  await expect(done).rejects.toThrow('Late.')
  await expect(fetch(shown[0]?.searchParams.get('redirect_uri') ?? '')).rejects.toThrow('fetch failed')
})

it('waits for the person only as long as allowed, and reports what fails after that person has returned', async () => {
  const clock = new ManualClock()
  const timeout = { ms: 60_000, reason: () => new Unavailable('Too late.'), clock }
  const away = startAuthorization(() => Promise.resolve(), { timeout })
  const late = expect(away.done).rejects.toThrow('Too late.')
  await expect.poll(() => away.shown.length).toBe(1)
  await clock.advance(60_000)
  await late

  const finish = async () => {
    await clock.advance(120_000)
    throw new Unavailable('The login cannot be stored.')
  }
  await expect(startAuthorization(goBack({ code: 'c-1' }), { timeout, finish }).done).rejects.toThrow('The login cannot be stored.')
})
