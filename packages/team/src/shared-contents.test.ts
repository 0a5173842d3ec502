import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ExpiringRecords, listen } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ContentLinks } from '../../server/src/serve/http/content-links.ts'
import { openLocalState } from '../../server/src/storage/local-state.ts'
import { sharedContents } from './shared-contents.ts'

const minute = 60_000

async function serve(clock: ManualClock, records: ExpiringRecords) {
  const links = new ContentLinks(clock, sharedContents(records, 100))
  const server = createServer((request, response) => void links.answer(request.url ?? '', response))
  const origin = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const add = async (bytes: Uint8Array, owner?: string) => links.add({ uri: 'drive:///a', mimeType: 'text/csv', bytes }, { origin, owner })
  return { add, origin }
}

async function sharedRecords(clock: ManualClock): Promise<ExpiringRecords> {
  const folder = await mkdtemp(path.join(tmpdir(), 'links-'))
  const state = await openLocalState({ file: path.join(folder, 'state.db'), clock })
  onTestFinished(async () => {
    await state.close()
    await rm(folder, { recursive: true, force: true })
  })
  return state.records
}

const text = Buffer.from('a;b\n')

it('a link leads to its content for five minutes', async () => {
  const clock = new ManualClock()
  const { add } = await serve(clock, await sharedRecords(clock))
  const { url, expiresAt } = await add(text, 'person-1')
  expect(url).toMatch(/\/content\/person-1\/[\w-]{32}$/)
  expect(expiresAt).toBe(clock.now() + 5 * minute)
  await clock.advance(5 * minute - 1)
  const found = await fetch(url)
  expect([found.status, found.headers.get('content-type'), await found.text()]).toEqual([200, 'text/csv', 'a;b\n'])
  await clock.advance(1)
  expect((await fetch(url)).status).toBe(404)
})

it('a replica answers for a link that another one has made, and for no other person', async () => {
  const clock = new ManualClock()
  const records = await sharedRecords(clock)
  const [one, other] = [await serve(clock, records), await serve(clock, records)]
  const at = new URL((await one.add(text, 'person-1')).url).pathname
  const found = await fetch(`${other.origin}${at}`)
  expect([found.status, await found.text()]).toEqual([200, 'a;b\n'])
  for (const wrong of [at.replace('person-1', 'person-2'), at.replace('person-1/', ''), `${at}x`, '/content/'])
    expect((await fetch(`${other.origin}${wrong}`)).status).toBe(404)
})

it('the oldest contents of a person make room for later ones', async () => {
  const clock = new ManualClock()
  const { add } = await serve(clock, await sharedRecords(clock))
  const half = new Uint8Array(50)
  const urls: string[] = []
  for (let each = 0; each < 3; each += 1) {
    urls.push((await add(half, 'person-1')).url)
    await clock.advance(1)
  }
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(url, { method: 'HEAD' })).status))
  expect(statuses).toEqual([404, 200, 200])
})
