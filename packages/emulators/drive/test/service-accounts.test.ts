import { generateKeyPairSync, sign } from 'node:crypto'
import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { expect, it } from 'vitest'
import { base } from './consenting.ts'
import { connected } from './connected.ts'
import { covers } from './covers.ts'

const email = 'robot@project.iam.gserviceaccount.com'
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const tokenUrl = 'https://oauth2.googleapis.com/token'
const now = Date.UTC(2026, 6, 28)
const seconds = now / 1_000

interface Change {
  readonly header?: JsonObject
  readonly claims?: JsonObject
  readonly key?: typeof privateKey
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function assertion({ header, claims, key = privateKey }: Change = {}): string {
  const signed = [
    encode({ alg: 'RS256', typ: 'JWT', kid: 'key-1', ...header }),
    encode({ iss: email, scope: `${base}drive`, aud: tokenUrl, iat: seconds, exp: seconds + 3_600, ...claims }),
  ].join('.')
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

/** An emulator with a service account, which may read on behalf of people in the organization. */
function open() {
  const account = { email, keyId: 'key-1', publicKey: pem, delegatedScopes: [`${base}drive.readonly`] }
  const emulator = connected({ serviceAccounts: [account], now: () => now })
  const request = async (change?: Change) => {
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertion(change) })
    const response = await emulator.fetch(tokenUrl, { method: 'POST', body })
    const answer: JsonObject = { status: response.status, ...toObject(await response.json()) }
    return answer
  }
  const about = async (token: unknown) => {
    const headers = { authorization: `Bearer ${String(token)}` }
    const response = await emulator.fetch('https://www.googleapis.com/drive/v3/about?fields=user(emailAddress)', { headers })
    return toObject(await response.json())
  }
  return { request, about }
}

it('issues a token to a service account, which has a drive', covers('oauth/service-account'), async () => {
  const { request, about } = open()
  const issued = await request()
  expect(issued).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3599 })
  expect(issued).not.toHaveProperty('refresh_token')
  expect(await about(issued['access_token'])).toEqual({ user: { emailAddress: email } })
})

it.each([
  ['another audience', { claims: { aud: 'https://evil.example/token' } }, 'invalid_grant'],
  ['an unknown account', { claims: { iss: 'other@project.iam.gserviceaccount.com' } }, 'invalid_grant'],
  ['more than an hour', { claims: { exp: seconds + 3_601 } }, 'invalid_grant'],
  ['an end in the past', { claims: { iat: seconds - 3_600, exp: seconds } }, 'invalid_grant'],
  ['a beginning in the future', { claims: { iat: seconds + 301, exp: seconds + 400 } }, 'invalid_grant'],
  ['no end', { claims: { exp: null } }, 'invalid_grant'],
  ['the signature of another key', { key: other.privateKey }, 'invalid_grant'],
  ['the id of another key', { header: { kid: 'key-2' } }, 'invalid_grant'],
  ['another algorithm', { header: { alg: 'none' } }, 'invalid_grant'],
  ['no scope', { claims: { scope: '' } }, 'invalid_scope'],
  ['an unknown scope', { claims: { scope: `${base}drive.everything` } }, 'invalid_scope'],
] satisfies [string, Change, string][])(
  'refuses an assertion with %s',
  covers('oauth/service-account-errors'),
  async (_, change, error) => {
    expect(await open().request(change)).toMatchObject({ status: 400, error })
  },
)

it('acts for people in the organization within its delegated scopes', covers('oauth/delegation'), async () => {
  const { request, about } = open()
  const sub = 'robin.vance@lodestar.example'
  const issued = await request({ claims: { sub, scope: `${base}drive.readonly` } })
  expect(await about(issued['access_token'])).toEqual({ user: { emailAddress: sub } })
  expect(await request({ claims: { sub } })).toMatchObject({ status: 401, error: 'unauthorized_client' })
  const unknown = { sub: 'no.one@lodestar.example', scope: `${base}drive.readonly` }
  expect(await request({ claims: unknown })).toMatchObject({ status: 400, error: 'invalid_grant' })
})
