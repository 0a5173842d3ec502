import { drive } from '@googleapis/drive'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { connected, folderType } from './connected.ts'
import type { DriveEmulatorOptions } from '../src/index.ts'

/** The vendor's own client, which needs the address in every call: otherwise its uploads go to Google. */
async function official(options: DriveEmulatorOptions = {}) {
  const emulator = connected(options)
  const { url } = await emulator.listen()
  const at = { rootUrl: `${url}/`, headers: { authorization: 'Bearer drive-emulator' }, retry: false }
  return { ...emulator, at, client: drive('v3') }
}

describe('the official client', () => {
  it('lists, gets, creates, updates and deletes', async () => {
    const { client, at, store, one } = await official()
    const found = await client.files.list({ q: "name contains 'lau pl'", fields: 'files(id,name,parents)' }, at)
    expect(found.data.files).toMatchObject([{ name: 'Launch plan', parents: [one('Archive').parentId] }])
    const made = await client.files.create({ requestBody: { name: 'New', mimeType: folderType }, fields: 'id,parents' }, at)
    const fileId = made.data.id ?? ''
    expect((await client.files.get({ fileId, fields: 'name,capabilities/canAddChildren' }, at)).data).toEqual({
      name: 'New',
      capabilities: { canAddChildren: true },
    })
    const addParents = one('Photos').id
    const [removeParents = ''] = made.data.parents ?? []
    const moved = await client.files.update(
      { fileId, addParents, removeParents, requestBody: { name: 'Newer' }, fields: 'name,parents' },
      at,
    )
    expect(moved.data).toEqual({ name: 'Newer', parents: [addParents] })
    expect((await client.files.delete({ fileId }, at)).status).toBe(204)
    expect(store.named('Newer')).toEqual([])
    await expect(client.files.get({ fileId }, at)).rejects.toMatchObject({ status: 404 })
  })

  it('searches by property and visibility, and brings an id', async () => {
    const { client, at } = await official()
    const { data } = await client.files.generateIds({ count: 2 }, at)
    const [id = '', other = ''] = data.ids ?? []
    await client.files.create({ requestBody: { id, name: 'Draft', properties: { stage: 'draft' } } }, at)
    const find = async (q: string) => (await client.files.list({ q, fields: 'files(id)' }, at)).data.files?.map((file) => file.id)
    expect(await find("properties has { key='stage' and value='draft' }")).toEqual([id])
    await client.permissions.create({ fileId: id, requestBody: { type: 'anyone', role: 'reader' } }, at)
    expect(await find("visibility = 'anyoneWithLink' and name = 'draft'")).toEqual([id])
    const refused = (mimeType: string) => client.files.create({ requestBody: { id: other, mimeType } }, at)
    await expect(refused('application/vnd.google-apps.document')).rejects.toMatchObject({ status: 403 })
    await expect(refused('application/vnd.google-apps.shortcut')).rejects.toMatchObject({ status: 400 })
  })

  it('shares', async () => {
    const { client, at, one, store } = await official()
    const fileId = one('Plans').id
    const requestBody = { type: 'user', role: 'reader', emailAddress: 'priya.nair@lodestar.example' }
    const { data } = await client.permissions.create({ fileId, requestBody, emailMessage: 'Look' }, at)
    const permissionId = data.id ?? ''
    await client.permissions.update({ fileId, permissionId, requestBody: { role: 'writer' } }, at)
    const list = await client.permissions.list({ fileId, fields: 'permissions(emailAddress,role)' }, at)
    expect(list.data.permissions).toEqual([
      { emailAddress: 'robin.vance@lodestar.example', role: 'owner' },
      { emailAddress: 'priya.nair@lodestar.example', role: 'writer' },
    ])
    await client.permissions.delete({ fileId, permissionId }, at)
    expect(store.permissions().filter((permission) => permission.fileId === fileId)).toEqual([])
    expect(store.mails()).toMatchObject([{ recipient: 'priya.nair@lodestar.example', role: 'reader', message: 'Look' }])
  })

  it('uploads by multipart and downloads with and without a range', async () => {
    const { client, at, store } = await official()
    const bytes = Buffer.from('name,price\nwidget,3\n'.repeat(40_000))
    const media = { mimeType: 'text/csv', body: Readable.from(bytes) }
    const { data } = await client.files.create({ requestBody: { name: 'prices.csv' }, media, fields: 'id,md5Checksum,size,mimeType' }, at)
    expect(data).toMatchObject({
      md5Checksum: createHash('md5').update(bytes).digest('hex'),
      size: String(bytes.length),
      mimeType: 'text/csv',
    })
    const fileId = data.id ?? ''
    const whole = await client.files.get({ fileId, alt: 'media' }, { ...at, responseType: 'arraybuffer' })
    expect(Buffer.from(new Uint8Array(asBuffer(whole.data))).equals(bytes)).toBe(true)
    const range = { ...at, headers: { ...at.headers, Range: 'bytes=11-19' }, responseType: 'arraybuffer' } as const
    const part = await client.files.get({ fileId, alt: 'media' }, range)
    expect([part.status, Buffer.from(new Uint8Array(asBuffer(part.data))).toString()]).toEqual([206, 'widget,3\n'])
    await client.files.update({ fileId, media: { mimeType: 'text/csv', body: 'changed' } }, at)
    expect(store.named('prices.csv').at(-1)).toMatchObject({ size: 7, md5: createHash('md5').update('changed').digest('hex') })
  })

  it('reads about, drives and generated ids', async () => {
    const { client, at } = await official()
    const about = await client.about.get({ fields: 'user(emailAddress),storageQuota(limit)' }, at)
    expect(about.data).toEqual({ user: { emailAddress: 'robin.vance@lodestar.example' }, storageQuota: { limit: '16106127360' } })
    const drives = await client.drives.list({}, at)
    expect(drives.data.drives?.map(({ name }) => name)).toEqual(['Engineering', 'Design'])
    const driveId = drives.data.drives?.[0]?.id ?? ''
    expect((await client.drives.get({ driveId, fields: 'name,hidden' }, at)).data).toEqual({ name: 'Engineering', hidden: false })
    const ids = await client.files.generateIds({ count: 3 }, at)
    expect(ids.data.ids).toHaveLength(3)
    const created = await client.files.create({ requestBody: { id: ids.data.ids?.[0] ?? '', name: 'Mine' } }, at)
    expect(created.data.id).toBe(ids.data.ids?.[0])
  })
})

/** A downloaded body, which the client types as unknown. */
function asBuffer(value: unknown): ArrayBuffer {
  if (!(value instanceof ArrayBuffer)) throw new TypeError('This is no ArrayBuffer.')
  return value
}
