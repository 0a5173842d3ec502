import { Forbidden } from '@mcp-toolkits/core'
import type { BroughtCode } from '@mcp-toolkits/core/accounts'
import { expect, it } from 'vitest'
import { consent, type ConsentOptions } from './consent.ts'
import { acme as provider } from './test/acme.ts'

/** A consent whose browser comes back as `answer` says. */
function consenting(answer: (back: URL) => Promise<unknown>, signal = new AbortController().signal) {
  const shown: URL[] = []
  const settled: BroughtCode[] = []
  const options: ConsentOptions = {
    provider,
    endpoint: provider.endpoints.authorization,
    clientId: 'desktop',
    scopes: ['read'],
    port: 0,
    signal,
    show: (url) => {
      const address = new URL(url)
      shown.push(address)
      const back = new URL(address.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('state', address.searchParams.get('state') ?? '')
      void answer(back)
      return Promise.resolve()
    },
  }
  const done = consent(options, (code) => {
    settled.push(code)
    return Promise.resolve({ result: 'done', page: { status: 200, title: 'Done', paragraphs: [] } })
  })
  return { done, shown, settled }
}

const goBack = (parameters: Readonly<Record<string, string>>) => async (back: URL) => {
  for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
  return (await fetch(back)).text()
}

it('settles the code with the verifier and the address that it was asked with', async () => {
  const { done, shown, settled } = consenting(goBack({ code: 'c-1' }))
  expect(await done).toBe('done')
  expect(settled).toMatchObject([{ code: 'c-1', redirectUri: shown[0]?.searchParams.get('redirect_uri') }])
  expect(shown[0]?.href).not.toContain(settled[0]?.verifier)
})

it.each([
  [{ error: 'access_denied' }, 'was refused at Acme'],
  [{ error: 'access_denied', code: 'c-1' }, 'was refused at Acme'],
  [{ error: 'server_error', error_description: '<b>' }, 'Acme refused the request (server_error).'],
  [{ error: '<script>' }, 'Acme refused the request.'],
  [{ error: '' }, 'Acme refused the request.'],
  [{}, 'without a code'],
  [{ code: '' }, 'without a code'],
])('ends without a code when the browser brings %j', async (parameters, said) => {
  let page = ''
  const { done, settled } = consenting(async (back) => {
    page = await goBack(parameters)(back)
  })
  await expect(done).rejects.toThrow(said)
  await expect.poll(() => page).toContain('<h1>Not signed in to Acme</h1>')
  expect(page).not.toMatch(/<script|<b>/)
  expect(settled).toEqual([])
})

it('stops listening when it is given up', async () => {
  const giveUp = new AbortController()
  const { done, shown } = consenting(() => {
    giveUp.abort(new Forbidden('Late.'))
    return Promise.resolve()
  }, giveUp.signal)
  await expect(done).rejects.toThrow('Late.')
  await expect(fetch(shown[0]?.searchParams.get('redirect_uri') ?? '')).rejects.toThrow('fetch failed')
})
