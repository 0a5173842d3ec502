import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driveEmulator, type DriveEmulatorOptions } from '../src/published.ts'

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
    const directory = mkdtempSync(path.join(tmpdir(), 'drive-published-'))
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

it('deletes contents as before when there is no snapshot', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-published-'))
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
