import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { serveEcho } from '../../../test/serve/serve-echo.ts'

test('a directory reads the card of a server at its address, again only after a change', async () => {
  await using server = await serveEcho()
  const address = new URL('/mcp/server-card', server.url)
  const response = await fetch(address)
  const { headers } = response
  expect([response.status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
    200,
    'application/mcp-server-card+json',
    '*',
  ])
  const card: unknown = await response.json()
  expect(member(card, '$schema')).toBe('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json')
  expect(member(card, 'name')).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  for (const name of ['version', 'title', 'description']) expect(member(card, name)).toMatch(/\S/)
  const again = await fetch(address, { headers: { 'if-none-match': `"old", ${headers.get('etag') ?? ''}` } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await fetch(address, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await fetch(address, { method: 'POST' })).status).toBe(404)
})
