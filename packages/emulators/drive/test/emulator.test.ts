import { textAt } from '@mcp-toolkits/emulator/testing'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runs } from '../../../testing/src/runs.ts'
import { describeContent, generateContent, toKey } from '../src/content/generated.ts'
import { hash } from 'node:crypto'
import { connected, rowsIn } from './connected.ts'

function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'drive-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  return join(directory, 'drive.db')
}

/** Number of items; a page has 1,000. */
const items = runs(100_000)

const files = '/upload/drive/v3/files'

describe('the emulator', () => {
  it('persists data and content, and sees what another process wrote', async () => {
    const file = temporaryFile()
    const first = connected({ file })
    const second = connected({ file })
    const content = randomBytes(100_000)
    const made = await first.get(`POST ${files}`, { query: { uploadType: 'media' }, body: content })
    const begun = await second.send(`POST ${files}`, { query: { uploadType: 'resumable' }, body: { name: 'later' } })
    const location = begun.headers.get('location') ?? ''
    const half = { 'content-range': 'bytes 0-262143/262148' }
    await first.fetch(location, { method: 'PUT', headers: half, body: new Uint8Array(262_144), redirect: 'manual' })
    await first.close()
    await second.close()
    const third = connected({ file, seed: 'empty' })
    expect(third.one('Launch plan')).toMatchObject({ name: 'Launch plan' })
    const response = await third.send(`GET /files/${textAt(made, 'id')}`, { query: { alt: 'media' } })
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
    await third.fetch(location, { method: 'PUT', headers: { 'content-range': 'bytes 262144-262147/262148' }, body: 'tail' })
    expect(third.one('later').size).toBe(262_148)
    await third.send(`POST ${files}`, { query: { uploadType: 'resumable' }, body: { name: 'never' } })
    await third.get(`DELETE /files/${textAt(made, 'id')}`)
    expect(readdirSync(`${file}.contents`)).toHaveLength(1)
    third.reset()
    expect([third.store.files().length, third.store.mutations(), existsSync(`${file}.contents`)]).toEqual([1, [], false])
  })

  it('leaves no files behind without a database file', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'drive-'))
    vi.stubEnv('TMPDIR', directory)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(directory, { recursive: true })
    })
    const { get, close } = connected()
    await get(`POST ${files}`, { query: { uploadType: 'media' }, body: 'x' })
    expect(readdirSync(directory)).toHaveLength(1)
    await close()
    expect(readdirSync(directory)).toEqual([])
  })

  it('starts with the same plausible seed every time', () => {
    const [one, other] = [connected().store, connected().store]
    expect(one.files()).toEqual(other.files())
    expect(one.permissions()).toEqual(other.permissions())
    const all = one.files()
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.every(({ id }) => /^[A-Za-z0-9_-]{19}$|^1[A-Za-z0-9_-]{32}$/.test(id))).toBe(true)
    expect(all.every(({ modifiedTime }) => modifiedTime <= '2026-09-16T12:00:00.000Z')).toBe(true)
    expect(all.filter(({ size }) => size === 12_000_000)).toHaveLength(1)
    const large = `sized-12000000-${toKey('Launch rehearsal.mp4')}`
    expect(hash('md5', generateContent(large) ?? '')).toBe(describeContent(large).md5)
  })

  it('holds only the root with an empty seed', async () => {
    const { store, names, get } = connected({ seed: 'empty' })
    expect([store.files().map(({ name }) => name), await names('trashed = false')]).toEqual([['My Drive'], []])
    expect(rowsIn((await get('GET /drives'))['drives'])).toEqual([])
  })

  it(`adds and lists ${items} items`, async () => {
    const { addFiles, get, store } = connected({ seed: 'empty' })
    addFiles(items * 0.6)
    addFiles(items * 0.4)
    const parents = new Map<string, unknown>()
    let pageToken: unknown
    let pages = 0
    do {
      const token = typeof pageToken === 'string' ? { pageToken } : {}
      const query = {
        q: 'trashed = false',
        orderBy: 'modifiedTime desc',
        pageSize: 1000,
        fields: 'nextPageToken,files(id,parents)',
        ...token,
      }
      const page = await get('GET /files', { query })
      for (const { id, parents: above } of rowsIn(page['files'])) parents.set(String(id), Array.isArray(above) ? above[0] : null)
      pageToken = page['nextPageToken']
      pages += 1
    } while (pageToken !== undefined)
    expect([parents.size, pages]).toEqual([items, items / 1000])
    const root = store.named('My Drive')[0]?.id
    expect([...parents.values()].filter((parent) => parent === root)).toHaveLength(1)
    expect([...parents.values()].every((parent) => parent === root || parents.has(String(parent)))).toBe(true)
  })

  it('adds items and serves their content', async () => {
    const { addItem, send, names } = connected({ seed: 'empty' })
    const text = 'long '.repeat(1000)
    const id = addItem({ name: 'added.txt', text })
    expect(await (await send(`GET /files/${id}`, { query: { alt: 'media' } })).text()).toBe(text)
    expect(await names("'root' in parents")).toEqual(['added.txt'])
  })

  it('answers 409 to a repeated create whose response was lost', async () => {
    const { ask, get, faults, store } = connected({ seed: 'empty' })
    const { ids } = await get('GET /files/generateIds', { query: { count: 1 } })
    const body = { id: textAt(ids, '0'), name: 'Once' }
    faults.add({ match: { method: 'POST' }, action: { kind: 'drop_after' } })
    await expect(ask('POST /files', { body })).rejects.toThrow('fetch failed')
    expect((await ask('POST /files', { body })).status).toBe(409)
    expect(store.named('Once')).toHaveLength(1)
  })

  it('counts attempts for each create separately', async () => {
    const { ask, get, faults, send, fetch } = connected({ seed: 'empty' })
    const { ids } = await get('GET /files/generateIds', { query: { count: 4 } })
    const fails = { kind: 'chaos', seed: 'x', rate: 1, kinds: [{ kind: 'status', status: 503, body: {} }], max_in_a_row: 1 } as const
    faults.add({ action: fails })
    const statuses = []
    for (const index of [0, 1, 0, 1]) statuses.push((await ask('POST /files', { body: { id: textAt(ids, String(index)) } })).status)
    expect(statuses).toEqual([503, 503, 200, 200])
    const multipart = (id: string) => ({
      query: { uploadType: 'multipart' },
      headers: { 'content-type': 'multipart/related; boundary=b' },
      body: `--b\n\n{"id": "${id}"}\n--b\n\ncontent\n--b--`,
    })
    const uploads = []
    for (const index of ['2', '3', '2', '3']) uploads.push((await ask(`POST ${files}`, multipart(textAt(ids, index)))).status)
    expect(uploads).toEqual([503, 503, 200, 200])
    faults.clear()
    const begin = (name: string) => send(`POST ${files}`, { query: { uploadType: 'resumable' }, body: { name } })
    const locations = [(await begin('a')).headers.get('location') ?? '', (await begin('b')).headers.get('location') ?? '']
    faults.add({ action: fails })
    const chunks = []
    for (const location of [...locations, ...locations]) chunks.push((await fetch(location, { method: 'PUT', body: 'x' })).status)
    expect(chunks).toEqual([503, 503, 200, 200])
  })

  it('generates the same ids after every reset', async () => {
    const run = async () => {
      const { get, send } = connected({ seed: 'empty' })
      const { ids } = await get('GET /files/generateIds', { query: { count: 2 } })
      const made = await get('POST /files', { body: {} })
      const begun = await send(`POST ${files}`, { query: { uploadType: 'resumable' }, body: { id: textAt(ids, '0') } })
      return [ids, made['id'], begun.headers.get('location')]
    }
    const first = await run()
    expect([new Set([textAt(first[0], '0'), textAt(first[0], '1'), first[1]]).size, await run()]).toEqual([3, first])
  })

  it('leads from its page to requests, data and rules', async () => {
    const { listen, get, one, reset } = connected()
    const { url } = await listen()
    const body = { type: 'user', role: 'reader', emailAddress: 'priya.nair@lodestar.example' }
    await get(`POST /files/${one('Plans').id}/permissions`, { body, query: { emailMessage: '<b>Look</b>' } })
    const page = await (await fetch(url)).text()
    expect(page).toContain("This is not the vendor's service.")
    for (const name of ['requests', 'mutations', 'mails', 'rules']) expect(page).toContain(`href="/__emulator/${name}"`)
    const mails: unknown = await (await fetch(`${url}/__emulator/mails`)).json()
    expect(mails).toMatchObject({ mails: [{ recipient: 'priya.nair@lodestar.example', role: 'reader', message: '<b>Look</b>' }] })
    expect(await (await fetch(`${url}/__emulator/mutations`)).text()).toContain('permissions.create')
    reset()
  })
})
