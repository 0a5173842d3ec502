import { randomBytes } from 'node:crypto'
import { freePort } from '@mcp-toolkits/testing/postgres'
import { oauthClient, register, startIdentityProvider } from '@mcp-toolkits/testing/people'
import { expect, inject, test } from 'vitest'
import { releases } from '../../releases/releases.ts'
import { startHttp } from '../http-process.ts'
import { installedIn } from './pack-once.ts'

test.for(releases)('$name issues tokens without the workspace', async ({ name }) => {
  await using identityProvider = await startIdentityProvider()
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  await using server = await startHttp({
    main: installedIn(inject('installation'), name, 'dist', 'main.js'),
    args: ['--port', String(port), '--issuer', identityProvider.issuer, '--public-url', issuer, '--authorization-server'],
    environment: {
      MCP_TOOLKITS_VAULT_KEYS: `1:${randomBytes(32).toString('base64')}`,
      MCP_TOOLKITS_SIGN_IN_CLIENT_ID: identityProvider.signInClient.id,
      MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: identityProvider.signInClient.secret,
      MCP_TOOLKITS_KEYS: 'person',
      [`${name.toUpperCase().replace('-', '_')}_CLIENT_ID`]: 'client',
    },
  })
  const { body } = await register(issuer, { redirect_uris: ['http://127.0.0.1/callback'] })
  const client = oauthClient({ issuer, clientId: String(body['client_id']), resource: `${issuer}/mcp`, scope: `${name}:read` })
  const { access, refresh } = await client.signIn('ada')
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const list = await fetch(`${issuer}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(request),
  })
  expect([list.status, (await client.refresh(refresh)).status]).toEqual([200, 200])
  // The library prints warnings about its configuration; there must be none.
  expect(server.output() + server.errors()).not.toContain('oidc-provider')
})
