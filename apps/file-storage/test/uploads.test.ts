import { isFull } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import { addPath, textAt } from './storage.ts'
import { expectStored, upload, uploading } from './uploading.ts'

const mebibyte = 1024 * 1024

test.for(isFull ? [0, 1, 100_000, 5 * mebibyte] : [0, 1, 100_000])('uploads %i bytes with one request', async (size) => {
  for (const tellsLength of [true, false]) {
    await using server = await uploading({ content: pseudoRandomBytes(size), sendsLength: tellsLength })
    await server.call('FileStorage.CreateFolder', { folder_name: 'ids are there now' })
    const before = server.sent.length
    const made = await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
    expect(server.sent.slice(before)).toEqual(['POST /upload/drive/v3/files'])
    expect(await expectStored(server)).toBe(textAt(made, 'file.id'))
    expect(made).toMatchObject({
      file: { name: 'new.bin', size },
      uploaded_to: 'the root of My Drive',
      md5_checksum: md5(server.from.served.content),
    })
  }
})

test('restarts an upload that Drive has forgotten', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(8 * mebibyte + 1) })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 404, body: '' } })
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
  expect(server.from.received.length).toBe(2)
})

test('reports that it reads the source before anything is stored', async () => {
  const told = Promise.withResolvers<number>()
  await using server = await uploading({ content: pseudoRandomBytes(100_000), hold: () => told.promise })
  const onprogress = ({ progress }: { progress: number }) => {
    told.resolve(progress)
  }
  await server.client.callTool({ name: upload, arguments: { file_name: 'new.bin', source_url: server.from.url } }, { onprogress })
  expect(await told.promise).toBeLessThan(1)
})

test('puts a file into a folder by path, by id and in a shared drive', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(10) })
  const [work = '', reports = ''] = addPath(server, 'Work/Reports/May.pdf')
  const to = (destination: string, name: string) =>
    server.call(upload, { file_name: name, source_url: server.from.url, destination_folder_path_or_id: destination })
  expect(await to('Work/Reports', 'a.bin')).toMatchObject({ file: { parent_id: reports } })
  expect(await to(work, 'b.bin')).toMatchObject({ file: { parent_id: work } })
  const drive = server.emulator.addDrive({ name: 'Team', members: [['robin.vance@lodestar.example', 'organizer']] })
  const made = await server.call(upload, { file_name: 'c.bin', source_url: server.from.url, shared_drive_id: drive })
  expect(made).toMatchObject({ file: { shared_drive_id: drive }, uploaded_to: `the root of the shared drive ${drive}` })
  // An item that was just created can be found by its path.
  expect(await server.call('FileStorage.DownloadFile', { file_path_or_id: 'Work/Reports/a.bin' })).toMatchObject({ total_size: 10 })
})

test('sends the type when a session starts', async () => {
  const types: (string | null)[] = []
  const seen = ({ method, headers }: Request) => {
    if (method === 'POST') types.push(headers.get('x-upload-content-type'))
  }
  await using server = await uploading({ content: pseudoRandomBytes(5 * mebibyte + 1) }, { seen })
  await server.call(upload, { file_name: 'new', mime_type: 'text/csv', source_url: server.from.url })
  expect(types).toEqual(['text/csv'])
})
