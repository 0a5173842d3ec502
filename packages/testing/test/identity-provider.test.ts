import { createPublicKey, hash, randomBytes, verify } from 'node:crypto'
import { member, parseJson } from '@mcp-toolkits/core/base'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from '../src/people/identity-provider/identity-provider.ts'
import { openBrowser } from '../src/people/person-browser.ts'

const resource = 'https://files.example/mcp'
const redirectUri = 'http://127.0.0.1:4567/callback'

async function start(options?: IdentityProviderOptions) {
  const provider = await startIdentityProvider(options)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  return provider
}

const KeySet = z.object({ keys: z.array(z.object({ kty: z.literal('RSA'), kid: z.string(), n: z.string(), e: z.string() })) })

const partOf = (token: string, index: number) => parseJson(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())

/** True if the published key signed the token. */
async function isSigned({ issuer }: IdentityProvider, token: string): Promise<boolean> {
  const metadata: unknown = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
  const response = await fetch(z.looseObject({ jwks_uri: z.string() }).parse(metadata).jwks_uri)
  const { keys } = KeySet.parse(await response.json())
  const key = keys.find(({ kid }) => kid === member(partOf(token, 0), 'kid'))
  const [content, signature = ''] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]]
  return (
    key !== undefined &&
    verify('sha256', Buffer.from(content), createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
  )
}

interface Flow {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly secret?: string
  readonly person?: string
}

/** Signs a person in with a client that names the resource, and returns the answer of the token endpoint. */
async function flow({ issuer }: IdentityProvider, { clientId, redirectUri: back, scope, secret, person = '' }: Flow): Promise<unknown> {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = { code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' }
  const query = { client_id: clientId, redirect_uri: back, response_type: 'code', scope, resource, state: 's', ...challenge }
  const browser = openBrowser({ stopsAt: (url) => url.startsWith(back) })
  const { url } = await browser.walk(`${issuer}/auth?${new URLSearchParams(query).toString()}`, () => ({ person }))
  const code = new URL(url).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: back, code_verifier: verifier, resource }
  const headers = secret === undefined ? {} : { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }
  const body = new URLSearchParams({ ...form, ...(secret === undefined && { client_id: clientId }) })
  return (await fetch(`${issuer}/token`, { method: 'POST', headers, body })).json()
}

test('a client gets an access token for the resource and the person', async () => {
  const provider = await start()
  const scope = 'openid file-storage:read file-storage:write'
  const answer = await flow(provider, { clientId: 'mcp-client', redirectUri, scope, person: 'ada' })
  const token = String(member(answer, 'access_token'))
  const claims = partOf(token, 1)
  expect(claims).toMatchObject({ iss: provider.issuer, sub: 'ada', aud: resource, client_id: 'mcp-client' })
  expect(member(claims, 'scope')).toBe('file-storage:read file-storage:write')
  expect(member(partOf(token, 0), 'typ')).toBe('at+jwt')
  expect(await isSigned(provider, token)).toBe(true)
})

test('a token for a test has the form of one from the token endpoint', async () => {
  const provider = await start()
  const issued = await flow(provider, { clientId: 'mcp-client', redirectUri, scope: 'issue-tracker:read', person: 'robin' })
  const made = provider.tokenFor('robin', { audience: resource, scopes: ['issue-tracker:read'] })
  const names = (token: unknown) => [0, 1].map((index) => Object.keys(z.looseObject({}).parse(partOf(String(token), index))).sort())
  expect(names(made)).toEqual(names(member(issued, 'access_token')))
  expect(await isSigned(provider, made)).toBe(true)
  expect(await isSigned(await start(), made)).toBe(false)
  expect(await isSigned(provider, provider.tokenFor('robin', { header: { alg: 'HS256' } }))).toBe(false)
  expect(provider.tokenFor('robin', { header: { alg: 'none' } })).toMatch(/\.$/)
  expect(partOf(provider.tokenFor('robin', { claims: { sub: undefined, exp: 7 } }), 1)).toEqual(
    expect.not.objectContaining({ sub: 'robin' }),
  )
})

test('our servers sign a person in, with or without a page', async () => {
  const claims = { oid: 'b-1' }
  const provider = await start({ people: [{ subject: 'b', claims }], pairwise: true })
  const { id: clientId, secret } = provider.signInClient
  provider.signIn('b')
  const answer = await flow(provider, { clientId, secret, redirectUri: 'http://127.0.0.1:9/connect/signed-in', scope: 'openid' })
  const identity = partOf(String(member(answer, 'id_token')), 1)
  expect(identity).toMatchObject({ aud: clientId, oid: 'b-1', sub: `b of ${clientId}` })
  const token = await flow(provider, { clientId: 'mcp-client', redirectUri, scope: 'event-pipeline:read' })
  expect(partOf(String(member(token, 'access_token')), 1)).toMatchObject({ sub: 'b of mcp-client', oid: 'b-1' })
})

test('the provider stops, and starts again with the same keys', async () => {
  const provider = await start()
  const token = provider.tokenFor('robin')
  expect(await isSigned(provider, token)).toBe(true)
  expect(provider.requests('/jwks')).toBe(1)
  await provider.stop()
  await expect(fetch(provider.issuer)).rejects.toThrow('fetch failed')
  await provider.start()
  expect(await isSigned(provider, token)).toBe(true)
  expect([provider.requests('/jwks'), provider.requests()]).toEqual([2, 4])
})
