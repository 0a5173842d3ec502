import { expect, test } from 'vitest'
import { pseudoRandomBytes } from './contents.ts'
import type { Served } from './source.ts'
import { patchByOtherProgram, addPath } from './storage.ts'
import { dataDirectory, upload, uploading } from './uploading.ts'

const page = Buffer.from('<!DOCTYPE html><title>Sign in</title>')
const text = Buffer.from('plain text')

interface Refused {
  readonly served?: Partial<Served>
  readonly args?: Record<string, unknown>
  /** The path to fetch in place of `/file`. */
  readonly at?: string
  readonly code?: string
  readonly message: string
}

const type = (contentType: string) => ({ 'content-type': contentType })

const refused: Readonly<Record<string, Refused>> = {
  'a source that answers 404': { served: { status: 404 }, message: 'Nothing was found at the URL (HTTP 404).' },
  'a source that answers 410': { served: { status: 410 }, message: 'HTTP 410' },
  'a source that wants a sign-in': { served: { status: 401 }, code: 'forbidden', message: 'Give a link that anyone can open.' },
  'a source that forbids': { served: { status: 403 }, code: 'forbidden', message: 'HTTP 403' },
  'a source without content': { served: { status: 204 }, message: 'HTTP 204, which is not a file' },
  'a page where a PDF was named': {
    served: { content: page, headers: type('text/html; charset=utf-8') },
    args: { mime_type: 'application/pdf' },
    message: 'returned an HTML page instead of application/pdf',
  },
  'a page for a name that ends in .pdf': {
    served: { content: page, headers: type('text/html') },
    args: { file_name: 'report.pdf' },
    message: 'returned an HTML page instead of application/pdf',
  },
  'a page that says it is a picture': {
    served: { content: page, headers: type('image/png') },
    args: { mime_type: 'image/png' },
    message: 'instead of image/png',
  },
  'a page where a table was named': {
    served: { content: page, headers: type('text/html') },
    args: { mime_type: 'text/csv' },
    message: 'instead of text/csv',
  },
  'a page for an archive, a table of columns and a program': {
    served: { content: page, headers: type('text/html') },
    args: { file_name: 'backup.tar' },
    message: 'instead of application/x-tar',
  },
  'a page where the URL promised a PDF': {
    served: { content: page, headers: type('text/html'), scripted: [{ status: 302, headers: { location: '/sign-in.html' } }] },
    args: { file_name: 'Quarterly report' },
    at: '/report.pdf',
    message: 'instead of application/pdf',
  },
  'a page in XML where a PDF was named': {
    served: { content: Buffer.from('<?xml version="1.0"?><p/>'), headers: type('application/xhtml+xml') },
    args: { mime_type: 'application/pdf' },
    message: 'instead of application/pdf',
  },
  'a page that begins with a mark, a declaration and a comment': {
    served: { content: Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- <p> --> <!-- -->\n<html lang="en">'), headers: {} },
    args: { mime_type: 'application/pdf' },
    message: 'instead of application/pdf',
  },
  'a name with a line break': { args: { file_name: 'a\nb.txt' }, message: '"file_name" must not contain invisible characters' },
  'a name with a control character': { args: { file_name: 'a\u0000b' }, message: 'Leave them out.' },
  'a name that turns its direction': { args: { file_name: 'c\u202efdp.exe' }, message: 'direction marks' },
  'a Google document as the type': {
    args: { mime_type: 'application/vnd.google-apps.document' },
    message: '"mime_type" must be "text/plain" or "text/csv"',
  },
  'a type that cannot be named': { args: { mime_type: 'video/mp4' }, message: 'Omit it for any other type, which is then detected.' },
  'a Google document as the type of the source': {
    served: { content: text, headers: type('application/vnd.google-apps.spreadsheet') },
    message: 'a Google document type',
  },
  'content that is compressed although it was requested uncompressed': {
    served: { content: text, headers: { ...type('text/plain'), 'content-encoding': 'gzip' } },
    message: 'compressed',
  },
  'a name with a path': { args: { file_name: 'Work/report.pdf' }, message: '"file_name" must be a name, not a path' },
  'a name with a path of Windows': { args: { file_name: 'C:\\report.pdf' }, message: '"file_name" must be a name, not a path' },
  'a name of two dots': { args: { file_name: '..' }, message: '"file_name" must be a name, not a path' },
  'a blank name': { args: { file_name: ' ' }, message: '"file_name" must not be blank' },
  'no URL': { args: { source_url: 'not a url' }, message: 'The URL is not a complete web address.' },
  'another scheme': { args: { source_url: 'file:///etc/passwd' }, message: 'neither https:// nor http://' },
  'a private address': { args: { source_url: 'http://169.254.169.254/latest/meta-data' }, message: 'does not lead to a public server' },
  'a host that was not allowed': { args: { source_url: 'http://localhost/' }, message: 'does not lead to a public server' },
  'a file as the destination': { args: { destination_folder_path_or_id: 'Work/Reports/May.pdf' }, message: 'not a folder' },
  'a destination that is not there': {
    args: { destination_folder_path_or_id: 'Work/Report' },
    code: 'not_found',
    message: 'Closest: "Work/Reports"',
  },
  'a redirect': { served: { status: 302, headers: { location: 'http://10.0.0.1/' } }, message: 'does not lead to a public server' },
}

test.for(Object.entries(refused))(
  'rejects %s and creates nothing',
  async ([, { served, args, message, at = '/file', code = 'invalid_input' }]) => {
    await using server = await uploading({ content: pseudoRandomBytes(100), ...served })
    addPath(server, 'Work/Reports/May.pdf')
    const before = server.emulator.store.files().length
    const url = server.from.url.replace('/file', at)
    const error = await server.fails(upload, { file_name: 'new', source_url: url, ...args })
    expect(error).toMatchObject({ code, retryable: false })
    expect(error.message).toContain(message)
    expect(server.emulator.store.files().length).toBe(before)
    expect(server.sent.filter((request) => request.includes('/upload/'))).toEqual([])
  },
)

test('stores an unexpected page with a notice, and an expected one without', async () => {
  await using server = await uploading({ content: page, headers: type('text/html') })
  const notices = async (args: Record<string, unknown>) => (await server.call(upload, { source_url: server.from.url, ...args }))['notices']
  expect(await notices({ file_name: 'Quarterly report' })).toEqual([expect.stringContaining('The content is an HTML page.')])
  expect(await notices({ file_name: 'page.html' })).toBeUndefined()
  expect(await notices({ file_name: 'page', mime_type: 'text/html' })).toBeUndefined()
})

test('accepts an archive declared as compressed in transfer, and aws-chunked content', async () => {
  await using server = await uploading({ content: text, headers: { ...type('application/x-tar'), 'content-encoding': 'x-gzip' } })
  expect(await server.call(upload, { file_name: 'a.tgz', source_url: server.from.url.replace('/file', '/a.tar.gz') })).toHaveProperty(
    'file',
  )
  server.from.served.headers['content-encoding'] = 'aws-chunked'
  expect(await server.call(upload, { file_name: 'a', source_url: server.from.url })).toHaveProperty('file')
})

test.for([100, 6_000_000])('does not put %i bytes into a trashed folder passed by id', async (size) => {
  await using server = await uploading({ content: pseudoRandomBytes(size) }, { dataDirectory: await dataDirectory() })
  const [folder = ''] = addPath(server, 'Old/May.pdf')
  await patchByOtherProgram(server, folder, { trashed: true })
  const args = { file_name: 'new', source_url: server.from.url, destination_folder_path_or_id: folder }
  for (let time = 1; time <= 2; time += 1) {
    const error = await server.fails(upload, args)
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false })
    expect(error.message).toContain('is in the trash')
  }
  // A small file is refused only after it has been sent, and is then removed.
  expect(server.emulator.store.named('new')).toEqual([])
  await patchByOtherProgram(server, folder, { trashed: false })
  expect(await server.call(upload, args)).toMatchObject({ file: { parent_id: folder } })
  expect(server.emulator.store.named('new').length).toBe(1)
})

test.for([100, 6_000_000])('puts %i bytes into the folder behind a shortcut passed by id', async (size) => {
  await using server = await uploading({ content: pseudoRandomBytes(size) })
  const [folder = '', file = ''] = addPath(server, 'Work/May.pdf')
  const [way, wrongWay] = [folder, file].map((target) => server.emulator.addItem({ name: `way to ${target}`, target }))
  const to = (id: string | undefined) => ({ file_name: 'new', source_url: server.from.url, destination_folder_path_or_id: id })
  expect(await server.call(upload, to(way))).toMatchObject({ file: { parent_id: folder }, uploaded_to: `"way to ${folder}" (${folder})` })
  expect((await server.fails(upload, to(wrongWay))).message).toContain('not a folder')
})

test('retries a source that fails, and reports it when it keeps failing', async () => {
  await using server = await uploading({ content: text, status: 503 })
  let requests = 0
  server.from.served.onRequest = () => {
    requests += 1
    if (requests === 3) server.from.served.status = 200
  }
  await server.call(upload, { file_name: 'new', source_url: server.from.url })
  server.from.served.status = 503
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({
    code: 'unavailable',
    retryable: true,
  })
})

test('reports that storage is full, before sending content if possible', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(6_000_000) }, { emulated: { seed: 'empty', storageLimit: 1_000 } })
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code: 'conflict' })
  server.from.served.content = pseudoRandomBytes(2_000)
  const error = await server.fails(upload, { file_name: 'new', source_url: server.from.url })
  expect(error.message).toContain('The storage is full.')
  expect(server.emulator.store.named('new')).toEqual([])
})

test.for([
  ['the argument', 'text/plain', 'a.pdf', { args: { mime_type: 'text/markdown' } }, 'text/markdown'],
  ['the header', 'image/svg+xml; charset=utf-8', 'a.txt', {}, 'image/svg+xml'],
  ['the name', 'application/octet-stream', 'a.CSV', {}, 'text/csv'],
  ['the URL', 'binary/octet-stream', 'a', { path: '/x.xlsx' }, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['the first bytes', 'application/octet-stream', 'a', { content: Buffer.from('%PDF-1.7 …') }, 'application/pdf'],
  ['nothing', 'application/octet-stream', 'a', {}, 'application/octet-stream'],
] as const)('takes the type from %s', async ([, header, name, more, expected]) => {
  const { path, content, args }: Found = { path: '/file', content: text, args: {}, ...more }
  await using server = await uploading({ content, headers: type(header) })
  const made = await server.call(upload, { file_name: name, source_url: server.from.url.replace('/file', path), ...args })
  expect(made).toMatchObject({ file: { mime_type: expected } })
})

interface Found {
  readonly path: string
  readonly content: Buffer
  readonly args: Record<string, unknown>
}
