import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formerDatabases } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pipelinesRules } from '../src/index.ts'
import { connected, ok } from './send.ts'

const track = { userId: 'u1', event: 'x', messageId: 'm1' }

describe('the emulator', () => {
  it('stores events in its file, which another process can use too', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pipelines-'))
    onTestFinished(() => {
      rmSync(directory, { recursive: true })
    })
    const file = join(directory, 'events.db')
    const first = connected({ file })
    const second = connected({ file })
    expect([await first.send('track', track), await second.send('track', track)]).toEqual([ok, ok])
    await first.close()
    await second.close()
    const { store, reset, close } = connected({ file })
    expect(store.events().map(({ outcome, request_id }) => [outcome, request_id])).toEqual([
      ['accepted', 1],
      ['duplicate', 2],
    ])
    expect(store.requests().map(({ body }) => body)).toEqual([JSON.stringify(track), JSON.stringify(track)])
    reset()
    expect([store.events(), store.requests()]).toEqual([[], []])
    await close()
  })

  it.for(formerDatabases(new URL('databases/', import.meta.url)))('opens the data of $name, and adds to it', async (former) => {
    using temporary = former.restore()
    const { send, store, close } = connected({ file: temporary.file })
    expect(store.events().map(({ event, source }) => [event, source])).toEqual([['Signed Up', 'default']])
    await send('track', { userId: 'u1', event: 'Signed Up', messageId: 'm1' })
    await send('track', { userId: 'u1', event: 'Signed Out' })
    expect(store.events().map(({ event, outcome }) => [event, outcome])).toEqual([
      ['Signed Up', 'accepted'],
      ['Signed Up', 'duplicate'],
      ['Signed Out', 'accepted'],
    ])
    expect(store.requests()).toHaveLength(3)
    await close()
  })

  it('reads its rows in pages', async () => {
    const { send, store } = connected()
    for (const event of ['a', 'b', 'c']) await send('track', { userId: 'u1', event })
    expect(store.events({ after: 1, limit: 1 }).map(({ event }) => event)).toEqual(['b'])
    expect(store.requests({ after: 2 }).map(({ id }) => id)).toEqual([3])
  })

  it('recognizes attempts at the same event', async () => {
    const { fetch, faults, send } = connected()
    const fails = { kind: 'chaos', seed: 'x', rate: 1, kinds: [{ kind: 'status', status: 503, body: {} }], max_in_a_row: 1 } as const
    faults.add({ action: fails })
    const batch = (messageId: string) => ({ sentAt: new Date(0).toISOString(), batch: [{ type: 'track', ...track, messageId }] })
    const statuses = []
    for (const messageId of ['a', 'b', 'a', 'b', 'a']) statuses.push((await send('batch', batch(messageId))).status)
    expect(statuses).toEqual([503, 503, 200, 200, 503])
    const noId = () => fetch('https://cdp.customer.io/v1/page', { method: 'POST', body: 'not JSON' }).then(({ status }) => status)
    expect([await noId(), await noId()]).toEqual([503, 200])
  })

  it('says on its page that it is an emulator, and links to what the real service hides', async () => {
    const { send, listen, close } = connected()
    const { url } = await listen()
    await send('track', { userId: '<i>u1</i>', event: 'x', timestamp: 1 })
    await send('track', { userId: 'u1', event: 'User Deleted' })
    const page = await (await fetch(url)).text()
    expect(page).toContain("This is not the vendor's service.")
    for (const name of ['events', 'requests', 'rules']) expect(page).toContain(`href="/__emulator/${name}"`)
    const events = await (await fetch(`${url}/__emulator/events?limit=2`)).text()
    for (const text of ['"outcome":"dropped"', 'timestamp must be an ISO 8601 date-time', 'deletes a person'])
      expect(events).toContain(text)
    const rules = await (await fetch(`${url}/__emulator/rules`)).text()
    for (const id of Object.keys(pipelinesRules)) expect(rules).toContain(id)
    await close()
  })
})
