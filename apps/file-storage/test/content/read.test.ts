import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { runs } from '../../../../packages/testing/src/runs.ts'
import { contentOf, put } from '../contents.ts'
import { addPath, patchByOtherProgram, type Storage, storage as defaultStorage, type StorageOptions } from '../storage.ts'

const storage = (options: StorageOptions = {}) => defaultStorage({ toolsets: ['content'], ...options })

const Part = z.object({
  text: z.string(),
  offset: z.number(),
  next_offset: z.number().nullable(),
  total_characters: z.number(),
  notices: z.array(z.string()).optional(),
})

/** Replaces a file's content as another of the person's programs would. */
async function replace({ emulator }: Pick<Storage, 'emulator'>, id: string, text: string): Promise<void> {
  const response = await emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer test-token', 'content-type': 'text/plain' },
    body: text,
  })
  expect(response.status).toBe(200)
}

const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line} ä€😀 ${'x'.repeat(line % 90)}\n`).join('')

test('returns the revision that a change can expect', async () => {
  await using server = await storage()
  await put(server, 'Notes.txt', Buffer.from('one'), 'text/plain')
  const { revision } = await server.call('FileStorage.ReadFile', { file_path_or_id: 'Notes.txt' })
  const change = { file_path_or_id: 'Notes.txt', content: 'two', expected_revision: revision }
  expect(await server.call('FileStorage.WriteFile', change)).toMatchObject({ changed: true, previous_revision: revision })
  expect(await server.fails('FileStorage.WriteFile', { ...change, content: 'three' })).toMatchObject({ code: 'conflict' })
  const { revision: now } = await server.call('FileStorage.ReadFile', { file_path_or_id: 'Notes.txt' })
  expect(await server.call('FileStorage.WriteFile', { ...change, expected_revision: now, content: 'three' })).toMatchObject({
    changed: true,
  })
})

test('the shown text can be passed as a passage, whatever its characters and line endings', async () => {
  await using server = await storage()
  const character = fc.constantFrom('\u200F', '\u00AD', '\u200B', '\f', '\u202E', '\uFEFF', '\u{E0041}', 'é', '😀')
  const ends = fc.oneof(fc.constantFrom(['\n'], ['\r\n'], ['\r']), fc.constant(['\n', '\r\n', '\r']))
  const text = ends.chain((some) =>
    fc
      .array(fc.tuple(character, fc.constantFrom(...some)), { minLength: 2, maxLength: 6 })
      .map((lines) => lines.map(([odd, end], line) => `${line} one${odd}two${end}`).join('')),
  )
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      const id = await put(server, 'Notes.txt', Buffer.from(written), 'text/plain')
      const { text: shown } = Part.parse(await server.call('FileStorage.ReadFile', { file_path_or_id: id }))
      await server.call('FileStorage.WriteFile', { file_path_or_id: id, replace: { passage: shown, with: `${shown}!` } })
      const isMixed = new Set(written.match(/\r\n?|\n/g)).size > 1
      expect((await contentOf(server, id)).toString()).toBe(`${isMixed ? written.replaceAll(/\r\n?/g, '\n') : written}!`)
    }),
    { numRuns: runs(20) },
  )
  const id = await put(server, 'Code.txt', Buffer.from(String.raw`a\u{200F}b`), 'text/plain')
  const edit = { passage: String.raw`\u{200F}`, with: String.raw`\u{200E}` }
  await server.call('FileStorage.WriteFile', { file_path_or_id: id, replace: edit })
  expect((await contentOf(server, id)).toString()).toBe(String.raw`a\u{200E}b`)
})

test('reads UTF-8 with a bad byte, Japanese mail, and TypeScript mistaken for a video', async () => {
  await using server = await storage()
  const read = async (name: string, bytes: Buffer, type: string) => {
    const id = await put(server, name, bytes, type)
    return { id, ...Part.parse(await server.call('FileStorage.ReadFile', { file_path_or_id: id })) }
  }
  const bad = Buffer.concat([Buffer.from('Größe 日本語 '), Buffer.from([0xff]), Buffer.from(' Übung')])
  expect(await read('bad.txt', bad, 'text/plain')).toMatchObject({ text: 'Größe 日本語 \uFFFD Übung' })
  const mail = Buffer.from('\u001B$B$3$s$K$A$O\u001B(B\n')
  expect(await read('mail.txt', mail, 'text/plain')).toMatchObject({ text: 'こんにちは\n' })
  const { id, text } = await read('app.ts', Buffer.from('export {}\n'), 'video/mp2t')
  expect(text).toBe('export {}\n')
  for (const change of [{ append: '// end\n' }, { content: 'export const a = 1\n' }])
    expect(await server.call('FileStorage.WriteFile', { file_path_or_id: id, ...change })).toMatchObject({ changed: true })
  const stream = await put(server, 'film.ts', Buffer.from('4740001000'.padEnd(376, 'ff00a7').repeat(5), 'hex'), 'video/mp2t')
  expect(await server.fails('FileStorage.ReadFile', { file_path_or_id: stream })).toMatchObject({ code: 'invalid_input' })
})

test('a path takes two requests, and reading on takes one', async () => {
  await using server = await storage()
  addPath(server, 'Team/Notes.txt')
  await server.call('FileStorage.SearchFiles', { query: 'Notes' })
  const text = lines(2_000)
  await put(server, 'Long.txt', Buffer.from(text), 'text/plain')
  await server.call('FileStorage.ReadFile', { file_path_or_id: 'Long.txt', limit: 100 })
  expect(await server.requestsOf('FileStorage.ReadFile', { file_path_or_id: 'Long.txt', offset: 0, limit: 1000 })).toHaveLength(1)
  await put(server, 'Other.txt', Buffer.from(text), 'text/plain')
  expect(await server.requestsOf('FileStorage.ReadFile', { file_path_or_id: 'Other.txt', limit: 1000 })).toHaveLength(2)
  const parts: string[] = []
  for (let next: number | null = 0; next !== null;) {
    const part: z.infer<typeof Part> = Part.parse(await server.call('FileStorage.ReadFile', { file_path_or_id: 'Other.txt', offset: next }))
    expect(part).toMatchObject({ offset: next, total_characters: text.length })
    expect(part.text.endsWith('\n')).toBe(true)
    parts.push(part.text)
    next = part.next_offset
  }
  expect(parts.length).toBeGreaterThan(4)
  expect(parts.join('')).toBe(text)
})

test('a change between two parts is a conflict, even if the text was not kept', async () => {
  await using server = await storage()
  const id = await put(server, 'Long.txt', Buffer.from(lines(900)), 'text/plain')
  const { next_offset: next } = Part.parse(await server.call('FileStorage.ReadFile', { file_path_or_id: id }))
  await replace(server, id, lines(901))
  const error = await server.fails('FileStorage.ReadFile', { file_path_or_id: id, offset: next })
  expect(error).toMatchObject({ code: 'conflict', next: { change: { offset: 0 } } })
  expect(error.message).toContain('has changed since its first part was read')
  await patchByOtherProgram(server, id, { name: 'Renamed.txt' })
  await server.call('FileStorage.ReadFile', { file_path_or_id: id })
  await patchByOtherProgram(server, id, { name: 'Renamed again.txt' })
  await server.call('FileStorage.ReadFile', { file_path_or_id: id, offset: next })
})

test('a file that grows while it is read is read whole', async () => {
  let grows = false
  const seen = async ({ url }: Request) => {
    if (!grows || !url.includes('alt=media')) return
    grows = false
    await replace(server, id, 'one two')
  }
  await using server = await storage({ seen })
  const id = await put(server, 'Notes.txt', Buffer.from('one'), 'text/plain')
  grows = true
  expect(await server.call('FileStorage.ReadFile', { file_path_or_id: id })).toMatchObject({ text: 'one two', total_characters: 7 })
  expect(grows).toBe(false)
})

test('an offset past the end says how long the text is', async () => {
  await using server = await storage()
  const id = await put(server, 'Short.txt', Buffer.from('ab\n'), 'text/plain')
  expect((await server.fails('FileStorage.ReadFile', { file_path_or_id: id, offset: 9 })).message).toContain('it has 3 characters')
  expect(await server.call('FileStorage.ReadFile', { file_path_or_id: id, offset: 3 })).toMatchObject({ text: '', next_offset: null })
  const empty = await put(server, 'Empty.txt', Buffer.alloc(0), 'text/plain')
  expect(await server.call('FileStorage.ReadFile', { file_path_or_id: empty })).toMatchObject({ text: '', total_characters: 0 })
})

test.for([
  ['a.png', 'image/png', 'binary', /picture.*FileStorage_DownloadFile attaches it for the person/],
  ['a.pdf', 'application/pdf', 'cut off', /damaged/],
  ['a.bin', 'application/octet-stream', 'a\0b\0\u0001\u0002\u0003', /neither text nor a document/],
] as const)('%s (%s) says why it has no text, and what to do', async ([name, type, content, reason]) => {
  await using server = await storage()
  const id = await put(server, name, Buffer.from(content), type)
  const error = await server.fails('FileStorage.ReadFile', { file_path_or_id: name })
  expect(error).toMatchObject({ code: 'invalid_input', next: { tool: 'FileStorage_DownloadFile', arguments: { file_path_or_id: id } } })
  expect(error.message).toMatch(reason)
})

test('Google documents are read as Markdown, sheets as CSV, slides as text, and a drawing is exported', async () => {
  await using server = await storage({
    emulated: {
      seed: {
        myDrive: [
          { name: 'Doc', type: 'document', text: '# Title\n\nBody ![][image1]\n\n[image1]: <data:image/png;base64,iVBORw0KGgo=>' },
          { name: 'Sheet', type: 'spreadsheet', text: 'name,sum\n"a, b",3\n' },
          { name: 'Slides', type: 'presentation', text: 'First\nSecond' },
          { name: 'Drawing', type: 'application/vnd.google-apps.drawing', text: 'x' },
          { name: 'Form', type: 'application/vnd.google-apps.form' },
          { name: 'Folder', items: [] },
        ],
      },
    },
  })
  const read = async (name: string) => Part.parse(await server.call('FileStorage.ReadFile', { file_path_or_id: name })).text
  expect(await read('Doc')).toBe('# Title\n\nBody ![][image1]\n\n[image1]: <image>')
  expect(await server.requestsOf('FileStorage.ReadFile', { file_path_or_id: 'Sheet' })).toHaveLength(2)
  expect(await read('Sheet')).toBe('[sheet Sheet1]\nname,sum\n"a, b",3\n\n')
  expect(await read('Slides')).toBe('First\nSecond')
  const why = async (name: string) => (await server.fails('FileStorage.ReadFile', { file_path_or_id: name })).message
  expect(await why('Drawing')).toContain('FileStorage_ExportFile gives the person a picture or a PDF of it')
  expect(await why('Form')).toContain('is a Google form, which has no text to read')
  expect(await why('Folder')).toContain('is a folder')
  expect(await why('root')).toContain('root of a drive')
})

test('a text that one server keeps is not used by another one', async () => {
  await using server = await storage()
  const id = await put(server, 'Long.txt', Buffer.from(lines(900)), 'text/plain')
  await server.call('FileStorage.ReadFile', { file_path_or_id: id })
  await using other = await server.restarted({ toolsets: ['content'] })
  const before = server.sent.length
  await other.call('FileStorage.ReadFile', { file_path_or_id: id, offset: 10 })
  expect(server.sent.slice(before)).toEqual([`GET /drive/v3/files/${id}`, `GET /drive/v3/files/${id}`])
})
