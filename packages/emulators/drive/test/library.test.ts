import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driveEmulator, type DriveEmulatorOptions } from '../src/library.ts'

function open(options: DriveEmulatorOptions = {}) {
  const drive = driveEmulator({ seed: 'empty', ...options })
  onTestFinished(drive.close)
  const send = (where: string, init: RequestInit = {}) =>
    drive.fetch(`https://www.googleapis.com${where}`, {
      ...init,
      headers: { authorization: 'Bearer drive-emulator', 'content-type': 'text/plain' },
    })
  const upload = async (body: string, id = '') => {
    const method = id === '' ? 'POST' : 'PATCH'
    const response = await send(`/upload/drive/v3/files${id && `/${id}`}?uploadType=media`, { method, body })
    const made: unknown = await response.json()
    return typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : ''
  }
  const content = async (id: string) => (await send(`/drive/v3/files/${id}?alt=media`)).text()
  return { ...drive, send, upload, content }
}

describe.each(['in memory', 'on disk'])('snapshots of a drive %s', (place) => {
  it('bring back contents that were replaced, deleted or reset', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'drive-library-'))
    onTestFinished(() => {
      rmSync(directory, { recursive: true })
    })
    const drive = open(place === 'on disk' ? { file: path.join(directory, 'drive.db') } : {})
    const id = await drive.upload('first')
    drive.snapshot('first')
    await drive.upload('second', id)
    const { files } = drive.diff('first')
    expect([files?.added, files?.removed, files?.changed.map(({ row }) => row['id'])]).toEqual([[], [], [id]])
    drive.snapshot('second')
    await drive.send(`/drive/v3/files/${id}`, { method: 'DELETE' })
    drive.restore('first')
    expect(await drive.content(id)).toBe('first')
    drive.reset()
    expect(drive.store.files().map((file) => file.id)).not.toContain(id)
    drive.restore('second')
    expect(await drive.content(id)).toBe('second')
  })
})

describe('an upload that was under way in a snapshot', () => {
  it('resumes from the snapshot, whatever has happened to it since', async () => {
    const drive = open()
    const begun = await drive.send('/upload/drive/v3/files?uploadType=resumable', { method: 'POST', body: '' })
    const location = begun.headers.get('location') ?? ''
    const put = async (bytes: string, range: string) => {
      const headers = { 'content-range': `bytes ${range}` }
      const response = await drive.fetch(location, { method: 'PUT', body: bytes, headers })
      const made: unknown = response.status === 200 ? await response.json() : undefined
      return typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : response.status
    }
    // All chunks but the last must be multiples of 256 KiB.
    const length = 256 * 1024
    const [one, two] = ['1'.repeat(length), '2'.repeat(length)]
    expect(await put(one, `0-${length - 1}/*`)).toBe(308)
    drive.snapshot('one')
    expect(await put(two, `${length}-${2 * length - 1}/*`)).toBe(308)
    drive.snapshot('two')
    const last = `${2 * length}-${2 * length + 2}/${2 * length + 3}`
    expect(await drive.content(String(await put('end', last)))).toBe(`${one}${two}end`)
    drive.restore('one')
    expect(await drive.content(String(await put('another', `${length}-${length + 6}/${length + 7}`)))).toBe(`${one}another`)
    drive.restore('two')
    expect(await drive.content(String(await put('END', last)))).toBe(`${one}${two}END`)
  })
})

it('refuses to complete an upload with missing bytes, and keeps no copies after the end', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-library-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  const drive = open({ file: path.join(directory, 'drive.db') })
  const begun = await drive.send('/upload/drive/v3/files?uploadType=resumable', { method: 'POST', body: '' })
  const put = (body: string, range: string) =>
    drive.fetch(begun.headers.get('location') ?? '', { method: 'PUT', body, headers: { 'content-range': `bytes ${range}` } })
  const length = 256 * 1024
  expect((await put('1'.repeat(length), `0-${length - 1}/*`)).status).toBe(308)
  const contents = path.join(directory, 'drive.db.contents')
  const [draft = ''] = readdirSync(contents)
  truncateSync(path.join(contents, draft), 5)
  drive.snapshot('cut')
  expect(readdirSync(contents)).toHaveLength(2)
  const response = await put('', `*/${length}`)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('Only 5 of the 262144 bytes of this upload are stored.'),
  ])
  await drive.close()
  expect(readdirSync(contents)).toEqual([])
})

it('takes only hosts for notifications', () => {
  expect(() => driveEmulator({ webhooksTo: ['https://hooks.example/'] })).toThrow(
    'webhooksTo: "https://hooks.example/" is not a host. Give one such as hooks.example or hooks.example:8443.',
  )
})

it('deletes contents when neither a file nor a snapshot needs them', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-library-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  const drive = open({ file: path.join(directory, 'drive.db') })
  const stored = () => readdirSync(path.join(directory, 'drive.db.contents')).length
  const remove = (id: string) => drive.send(`/drive/v3/files/${id}`, { method: 'DELETE' })
  const id = await drive.upload('first')
  drive.snapshot('one')
  drive.snapshot('two')
  await remove(id)
  drive.snapshot('one')
  expect(stored()).toBe(1)
  drive.restore('two')
  expect(await drive.content(id)).toBe('first')
  drive.reset()
  expect(stored()).toBe(1)
  await drive.upload('second')
  expect(stored()).toBe(2)
  drive.restore('two')
  expect([stored(), await drive.content(id)]).toEqual([1, 'first'])
  await remove(id)
  expect(stored()).toBe(1)
  drive.snapshot('two')
  expect(stored()).toBe(0)
  const last = await drive.upload('last')
  drive.snapshot('three')
  await remove(last)
  await drive.upload('kept')
  expect(stored()).toBe(2)
  await drive.close()
  expect(stored()).toBe(1)
})

it('deletes contents as before when there is no snapshot', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-library-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  const drive = open({ file: path.join(directory, 'drive.db') })
  const id = await drive.upload('first')
  const stored = () => readdirSync(path.join(directory, 'drive.db.contents'))
  expect(stored()).toHaveLength(1)
  await drive.send(`/drive/v3/files/${id}`, { method: 'DELETE' })
  expect(stored()).toHaveLength(0)
})

it('emulates the methods that servers do not use', async () => {
  const drive = open()
  const id = await drive.upload('first')
  const copy = await drive.send(`/drive/v3/files/${id}/copy`, { method: 'POST' })
  expect([copy.status, drive.store.files().filter(({ size }) => size === 5).length]).toEqual([200, 2])
})
