import { createServer } from 'node:http'
import { listen } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ContentLinks } from '../../src/serve/http/content-links.ts'
import type { Contents } from '../../src/storage/contents.ts'

const minute = 60_000

/** A server of the links to contents. It ends with the test. */
export async function serveContents(clock: ManualClock, contents: Contents) {
  const links = new ContentLinks(clock, contents)
  const server = createServer((request, response) => void links.answer(request.url ?? '', response))
  const origin = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const add = async (bytes: Uint8Array, owner: string) => links.add({ uri: 'drive:///a', mimeType: 'text/csv', bytes }, { origin, owner })
  return { add, origin }
}

/** The rules for contents in any storage that has room for 100 bytes per person. */
export function contentsContract(openContents: (clock: ManualClock) => Promise<Contents>): void {
  it('a link leads to its content for five minutes', async () => {
    const clock = new ManualClock()
    const { add } = await serveContents(clock, await openContents(clock))
    const { url, expiresAt } = await add(Buffer.from('a;b\n'), 'person-1')
    expect(url).toMatch(/\/content\/person-1\/[\w-]{32}$/)
    expect(expiresAt).toBe(clock.now() + 5 * minute)
    await clock.advance(5 * minute - 1)
    const found = await fetch(url)
    expect([found.status, found.headers.get('content-type'), await found.text()]).toEqual([200, 'text/csv', 'a;b\n'])
    await clock.advance(1)
    expect((await fetch(url)).status).toBe(404)
  })

  it('the oldest contents of a person make room for later ones', async () => {
    const clock = new ManualClock()
    const { add } = await serveContents(clock, await openContents(clock))
    const half = new Uint8Array(50)
    const urls: string[] = []
    for (let each = 0; each < 3; each += 1) {
      urls.push((await add(half, 'person-1')).url)
      await clock.advance(1)
    }
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url, { method: 'HEAD' })).status))
    expect(statuses).toEqual([404, 200, 200])
  })
}
