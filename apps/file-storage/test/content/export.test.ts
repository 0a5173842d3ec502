import { expect, test } from 'vitest'
import { bytesIn, put } from '../contents.ts'
import { storage as defaultStorage } from '../storage.ts'

const myDrive = [
  { name: 'Doc', type: 'document', text: 'Body' },
  { name: 'Sheet', type: 'spreadsheet', text: 'name,sum\na,3\n' },
  { name: 'Slides', type: 'presentation', text: 'First' },
  { name: 'Drawing', type: 'application/vnd.google-apps.drawing', text: 'x' },
]
const storage = () => defaultStorage({ toolsets: ['content'], emulated: { seed: { myDrive } } })

test.for([
  ['Doc', 'docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK'],
  ['Doc', 'md', 'text/markdown', 'Body'],
  ['Sheet', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
  ['Sheet', 'csv', 'text/csv', 'name,sum'],
  ['Slides', 'pdf', 'application/pdf', '%PDF-'],
  ['Drawing', 'pdf', 'application/pdf', '%PDF-'],
] as const)('%s as %s is attached for the person', async ([name, format, type, start]) => {
  await using server = await storage()
  const before = server.sent.length
  const result = await server.result('FileStorage.ExportFile', { file_path_or_id: name, format })
  expect(server.sent.slice(before)).toHaveLength(2)
  const bytes = bytesIn(result)
  expect(bytes.toString('latin1').startsWith(start)).toBe(true)
  expect(result.structuredContent).toMatchObject({ format, mime_type: type, file_name: `${name}.${format}`, size: bytes.byteLength })
  expect(result.content.at(-1)).toMatchObject({ type: 'resource', resource: { mimeType: type }, annotations: { audience: ['user'] } })
})

test('the error for a wrong format names the available ones, and other words for a format lead to it', async () => {
  await using server = await storage()
  const error = await server.fails('FileStorage.ExportFile', { file_path_or_id: 'Sheet', format: 'docx' })
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain('xlsx, ods, pdf, zip, csv or tsv')
  expect(error.suggestions?.map(({ value }) => value)).toEqual(['xlsx', 'ods', 'pdf', 'zip', 'csv', 'tsv'])
  const word = await server.fails('FileStorage.ExportFile', { file_path_or_id: 'Doc', format: 'word' })
  expect(word.next).toEqual({ change: { format: 'docx' } })
})

test('the error says that a file has bytes, or that Google cannot export an item', async () => {
  await using server = await storage()
  await put(server, 'a.txt', Buffer.from('a'), 'text/plain')
  const error = await server.fails('FileStorage.ExportFile', { file_path_or_id: 'a.txt', format: 'pdf' })
  expect(error.message).toContain('FileStorage_DownloadFile')
  const absent = await server.fails('FileStorage.ExportFile', { file_path_or_id: 'Slides', format: 'png' })
  expect(absent.code).toBe('unavailable')
})

test('a download of a Google document names the tools that read and export it', async () => {
  await using server = await storage()
  const { message } = await server.fails('FileStorage.DownloadFile', { file_path_or_id: 'Doc' })
  expect(message).toMatch(/FileStorage_ReadFile gives its text, FileStorage_ExportFile another format\.$/)
})
