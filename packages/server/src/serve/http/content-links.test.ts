import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { contentsContract } from '../../../test/storage/contents-contract.ts'
import { ContentLinks, ownContents } from './content-links.ts'

contentsContract(() => Promise.resolve(ownContents(100)))

test.for([
  ['http://files.example', {}],
  ['https://files.example', { 'x-forwarded-proto': 'https' }],
  ['https://files.example', { 'x-forwarded-proto': 'https, http' }],
  ['http://files.example', { 'x-forwarded-proto': 'javascript' }],
] as const)('a link begins with %s for a request with %j', async ([origin, headers]) => {
  const makeLink = new ContentLinks(new ManualClock()).makerAt(undefined)(new Request('http://files.example/mcp', { headers }))
  const link = await makeLink?.({ uri: 'drive:///a', mimeType: 'text/csv', bytes: new Uint8Array(1) })
  expect(link?.url.startsWith(`${origin}/content/`)).toBe(true)
})
