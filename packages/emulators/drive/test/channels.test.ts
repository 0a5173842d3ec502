import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openReceiver, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DriveEmulatorOptions } from '../src/index.ts'
import { driveEmulator } from '../src/library.ts'
import { bearer, connected, folderType, type Request } from './connected.ts'
import { covers } from './covers.ts'

/** A receiver that returns these statuses in turn, and then 200; `next` resolves with the states in the next `count` messages. */
async function openHook(statuses: readonly number[] = []) {
  const receiver = await openReceiver((index) => statuses[index] ?? 200)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  const { received, url } = receiver
  let shown = 0
  const next = async (count: number) => {
    await receiver.arrival(shown + count)
    const states = received.slice(shown, shown + count).map(({ headers }) => [headers['x-goog-resource-state'], headers['x-goog-changed']])
    shown += count
    return states
  }
  return { received, next, address: url }
}

/** An emulator with a file that is being watched. */
async function watching(statuses?: readonly number[], options: DriveEmulatorOptions = {}) {
  const slept: number[] = []
  const emulator = connected({
    ...options,
    sleep(milliseconds) {
      slept.push(milliseconds)
      return Promise.resolve()
    },
  })
  const { get } = emulator
  const target = await openHook(statuses)
  const file = textAt(await get('POST /files', { body: { name: 'Watched' } }), 'id')
  const watch = (call: string, { body = {}, query = {} }: Pick<Request, 'query'> & { body?: object } = {}) =>
    get(call, { query, body: { id: 'one', type: 'web_hook', address: target.address, ...body } })
  const watchFeed = async (more: { body?: object; query?: Request['query'] } = {}) => {
    const pageToken = textAt(await get('GET /changes/startPageToken'), 'startPageToken')
    return watch('POST /changes/watch', { ...more, query: { pageToken, ...more.query } })
  }
  return { ...emulator, ...target, file, watch, watchFeed, slept }
}

describe('a channel', () => {
  it('reports changes in the feed in numbered messages', covers('channels/watch', 'channels/states'), async () => {
    const { get, watchFeed, next, received, file } = await watching()
    const channel = await watchFeed({ body: { token: 'mine' } })
    expect(channel).toMatchObject({ kind: 'api#channel', id: 'one', token: 'mine', expiration: String(Date.parse('2026-09-16T13:00:00Z')) })
    expect(textAt(channel, 'resourceUri')).toMatch(/^https:\/\/www\.googleapis\.com\/drive\/v3\/changes\?pageToken=\d+&alt=json$/)
    expect(await next(1)).toEqual([['sync', undefined]])
    await get(`PATCH /files/${file}`, { body: { name: 'Renamed' } })
    expect(await next(1)).toEqual([['change', undefined]])
    await get(`DELETE /files/${file}`)
    expect(await next(1)).toEqual([['change', undefined]])
    expect(received.map(({ headers }) => headers['x-goog-message-number'])).toEqual(['1', '2', '3'])
    expect(received[1]?.headers).toMatchObject({
      'x-goog-channel-id': 'one',
      'x-goog-channel-token': 'mine',
      'x-goog-channel-expiration': 'Wed, 16 Sep 2026 13:00:00 GMT',
      'x-goog-resource-id': channel['resourceId'],
      'x-goog-resource-uri': channel['resourceUri'],
    })
    expect(received.map(({ body }) => body)).toEqual(['', '{"kind":"drive#changes"}', '{"kind":"drive#changes"}'])
  })

  it('reports what has happened to one file', covers('channels/states'), async () => {
    const { get, watch, next, file } = await watching()
    await watch(`POST /files/${file}/watch`)
    expect(await next(1)).toEqual([['sync', undefined]])
    const query = { uploadType: 'media' }
    const folder = textAt(await get('POST /files', { body: { name: 'Folder', mimeType: folderType } }), 'id')
    const steps = [
      () => get(`PATCH /files/${file}`, { body: { name: 'Renamed' } }),
      () => get(`PATCH /upload/drive/v3/files/${file}`, { query, body: 'new' }),
      () => get(`POST /files/${file}/permissions`, { body: { type: 'anyone', role: 'reader' } }),
      () => get(`PATCH /files/${file}`, { query: { addParents: folder } }),
      () => get(`PATCH /files/${file}`, { body: { trashed: true } }),
      () => get(`PATCH /files/${file}`, { body: { trashed: false } }),
      () => get(`DELETE /files/${file}`),
    ]
    const states: unknown[] = []
    for (const step of steps) {
      await step()
      states.push(...(await next(1)))
    }
    expect(states).toEqual([
      ['update', 'properties'],
      ['update', 'content,properties'],
      ['update', 'permissions'],
      ['update', 'parents,properties'],
      ['trash', undefined],
      ['untrash', undefined],
      ['remove', undefined],
    ])
  })

  it('knows after a restart how its file looked', covers('channels/states'), async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'channels-'))
    onTestFinished(() => {
      rmSync(directory, { recursive: true })
    })
    const file = path.join(directory, 'drive.db')
    const first = await watching([], { file })
    await first.watch(`POST /files/${first.file}/watch`)
    await first.next(1)
    await first.close()
    const { get } = connected({ file })
    await get(`PATCH /files/${first.file}`, { body: { trashed: true } })
    expect(await first.next(1)).toEqual([['trash', undefined]])
  })

  it('is restored with its file by a snapshot', covers('channels/states'), async () => {
    const { next, address } = await openHook()
    const drive = driveEmulator({ seed: 'edge-cases' })
    onTestFinished(drive.close)
    const file = `https://www.googleapis.com/drive/v3/files/${drive.store.named('Launch plan')[0]?.id ?? ''}`
    const headers = { ...bearer(), 'content-type': 'application/json' }
    const trash = async () => {
      await drive.fetch(file, { method: 'PATCH', headers, body: '{"trashed":true}' })
      return next(1)
    }
    await drive.fetch(`${file}/watch`, { method: 'POST', headers, body: JSON.stringify({ id: 'one', type: 'web_hook', address }) })
    await next(1)
    drive.snapshot('watched')
    expect(await trash()).toEqual([['trash', undefined]])
    drive.restore('watched')
    expect(await trash()).toEqual([['trash', undefined]])
  })

  it('ends when it expires or is stopped', covers('channels/expiration'), async () => {
    const { get, ask, refusal, watch, watchFeed, next, pass, file, received } = await watching()
    const day = 86_400_000
    const late = { expiration: String(Date.parse('2026-12-01T00:00:00Z')) }
    const longest = (await watch(`POST /files/${file}/watch`, { body: { ...late, id: 'two' } }))['expiration']
    expect(longest).toBe(String(Date.parse('2026-09-17T12:00:00Z')))
    const feed = await watchFeed({ body: late })
    expect(feed['expiration']).toBe(String(Date.parse('2026-09-23T12:00:00Z')))
    await next(2)
    pass(day)
    await get(`PATCH /files/${file}`, { body: { name: 'A day later' } })
    await next(1)
    expect(received.at(-1)?.headers['x-goog-channel-id']).toBe('one')
    const stop = { body: { id: 'one', resourceId: feed['resourceId'] } }
    expect((await ask('POST /channels/stop', stop)).status).toBe(204)
    expect(await refusal('POST /channels/stop', stop)).toEqual([404, 'notFound'])
    await get(`PATCH /files/${file}`, { body: { name: 'Unheard' } })
    await watchFeed()
    await next(1)
    expect(received.map(({ headers }) => headers['x-goog-resource-state'])).toEqual(['sync', 'sync', 'change', 'sync'])
  })

  it('repeats what was not taken, and logs every attempt', covers('channels/retries', 'channels/delays'), async () => {
    const { watchFeed, next, slept, listen } = await watching([503, 500, 200])
    await watchFeed({ body: { token: 'hush' } })
    expect(await next(3)).toEqual([
      ['sync', undefined],
      ['sync', undefined],
      ['sync', undefined],
    ])
    expect(slept).toEqual([1_000, 4_000])
    const { url } = await listen()
    const log = await (await fetch(`${url}/__emulator/deliveries`)).text()
    expect(log).toContain('"status":503')
    expect(log).not.toContain('hush')
  })

  it('tells a person about what they can see', covers('channels/watch'), async () => {
    const { get, login, next, address, file, received } = await watching()
    const { accessToken: token } = await login('priya.nair@lodestar.example')
    const body = { id: 'hers', type: 'web_hook', address }
    await get('POST /changes/watch', { token, query: { pageToken: 1 }, body })
    await next(1)
    await get(`PATCH /files/${file}`, { body: { name: 'Not hers' } })
    await get(`POST /files/${file}/permissions`, { body: { type: 'user', role: 'reader', emailAddress: 'priya.nair@lodestar.example' } })
    await next(1)
    expect(received.map(({ headers }) => headers['x-goog-message-number'])).toEqual(['1', '2'])
  })

  it('refuses other machines, used ids and other types', covers('channels/addresses', 'channels/refusals'), async () => {
    const { ask, refusal, watchFeed, address, next } = await watching()
    await watchFeed()
    await next(1)
    const call = (body: object) => ({ query: { pageToken: 1 }, body: { id: 'two', type: 'web_hook', address, ...body } })
    expect(await refusal('POST /changes/watch', call({ id: 'one' }))).toEqual([400, 'channelIdNotUnique'])
    expect(await refusal('POST /changes/watch', call({ type: 'mail' }))).toEqual([400, 'invalid'])
    expect(await refusal('POST /changes/watch', call({ id: '' }))).toEqual([400, 'required'])
    expect(await refusal('POST /changes/watch', call({ expiration: 1 }))).toEqual([400, 'invalid'])
    const { status, body } = await ask('POST /changes/watch', call({ address: 'https://hooks.example.com/drive' }))
    expect([status, textAt(body, 'error.message')]).toEqual([401, expect.stringContaining('--webhooks-to hooks.example.com')])
    // Linux treats 0.0.0.0 as this machine, but the emulator treats it as another one.
    const elsewhere = call({ address: address.replace('127.0.0.1', '0.0.0.0') })
    expect(await refusal('POST /changes/watch', elsewhere)).toEqual([401, 'push.webhookUrlUnauthorized'])
    await connected({ webhooksTo: ['0.0.0.0'] }).get('POST /changes/watch', elsewhere)
    expect(await next(1)).toEqual([['sync', undefined]])
  })
})
