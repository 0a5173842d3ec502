import { describe, expect, it } from 'vitest'
import { acmeAccount } from '../../../test/account/acme.ts'
import { loginWith } from '../../../test/account/logins.ts'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'
import type { AccountSettings } from '../account.ts'
import { findTokenSource, overridingVariables, upstreamOf } from './token-source.ts'
import { openTokenStore } from './login-store.ts'

const api = acmeAccount.api.url
const key = { ACME_API_KEY: 'key' }
const token = { ACME_ACCESS_TOKEN: 'token' }

async function find({ isStored = true, ...changed }: Partial<AccountSettings> & { readonly isStored?: boolean } = {}) {
  const dataDirectory = await temporaryDirectory()
  const login = loginWith({ apiUrl: `${api}/stored` })
  if (isStored) await openTokenStore(dataDirectory).write({ server: 'acme', profile: 'default' }, login)
  const source = findTokenSource(acmeAccount, { embedded: false, environment: {}, dataDirectory, ...changed })
  return source?.kind === 'environment' ? { ...source, authorization: source.authorization() } : source
}

describe('the token comes from', () => {
  it.each([
    ['nowhere with --embedded', { embedded: true, environment: { ...key, ...token } }, undefined],
    ['the first credential variable', { environment: { ...key, ...token } }, { kind: 'environment', url: api, authorization: 'key' }],
    ['the second one without the first', { environment: token }, { kind: 'environment', url: api, authorization: 'Bearer token' }],
    ['the stored login without either', {}, { kind: 'login', url: `${api}/stored` }],
    ['nowhere without any', { isStored: false }, undefined],
  ])('%s', async (_, settings, source) => {
    expect(await find(settings)).toEqual(source)
  })
})

describe('the API address of the environment', () => {
  const elsewhere = { ACME_API_URL: 'https://elsewhere.example' }

  it('replaces that of the vendor', async () => {
    expect(await find({ environment: { ...key, ...elsewhere } })).toMatchObject({ url: 'https://elsewhere.example' })
  })

  it('has to be one to which the login may be sent', async () => {
    expect(await find({ environment: { ACME_API_URL: `${api}/other` } })).toEqual({ kind: 'login', url: `${api}/other` })
    await expect(find({ environment: elsewhere })).rejects.toThrow('is not sent to https://elsewhere.example')
  })

  it('needs credentials', async () => {
    const message = 'ACME_API_URL is set without credentials. Unset it, set ACME_API_KEY too, or sign in.'
    await expect(find({ environment: elsewhere, isStored: false })).rejects.toThrow(message)
  })
})

it.each([{ ACME_API_KEY: '' }, { ...key, ACME_ACCESS_TOKEN: '${TOKEN}' }])(
  'rejects a credential that cannot be one: %j',
  async (environment) => {
    await expect(find({ environment })).rejects.toMatchObject({ code: 'unauthenticated' })
  },
)

it('does not replace the login of a named profile by the embedded default', async () => {
  await expect(find({ profile: 'work' })).rejects.toMatchObject({
    code: 'unauthenticated',
    details: { next: { command: 'acme-mcp login --profile work' } },
  })
})

it.each([
  [undefined, 'This person has not connected their Acme account. Ask the person to open the page, then make the call again.'],
  ['work', 'This person has not connected their Acme account under the profile "work". Ask'],
])('sends a person who has connected nothing to a page (profile %s)', async (profile, message) => {
  const found = find({ isStored: false, owner: 'anna', ...(profile !== undefined && { profile }) })
  await expect(found).rejects.toThrow(message)
  await expect(found).rejects.toMatchObject({ code: 'unauthenticated', details: { connect: { purpose: 'account' } } })
})

it('has a person connect again for another address', async () => {
  const found = find({ owner: 'anna', environment: { ACME_API_URL: 'https://elsewhere.example' } })
  await expect(found).rejects.toThrow('is not sent to https://elsewhere.example. Ask the person to open the page')
  await expect(found).rejects.toMatchObject({ details: { connect: { purpose: 'account' } } })
})

it('knows where calls go, and which variables override a login', async () => {
  const settings = { embedded: false, environment: token, dataDirectory: await temporaryDirectory() }
  expect(upstreamOf(acmeAccount, settings)).toEqual({ kind: 'vendor', url: api })
  expect(upstreamOf(acmeAccount, { ...settings, environment: {} })).toEqual({ kind: 'embedded' })
  expect(overridingVariables(acmeAccount, { ...token, OTHER: '1' })).toEqual(['ACME_ACCESS_TOKEN'])
})
