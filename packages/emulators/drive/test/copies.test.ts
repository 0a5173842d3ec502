import { stringsIn } from '@mcp-toolkits/emulator'
import { temporaryFile, textAt } from '@mcp-toolkits/emulator/testing'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { connected, folderType } from './connected.ts'
import { covers } from './covers.ts'

const types = 'application/vnd.google-apps'
const office = 'application/vnd.openxmlformats-officedocument'

describe('copies', () => {
  it('copies a file with its content', covers('copies/parents', 'copies/names'), async () => {
    const { get, send, names } = connected()
    const folder = textAt(await get('POST /files', { body: { name: 'Here', mimeType: folderType } }), 'id')
    const made = await get('POST /upload/drive/v3/files', {
      query: { uploadType: 'multipart', fields: 'id,md5Checksum' },
      headers: { 'content-type': 'multipart/related; boundary=x' },
      body: `--x\r\ncontent-type: application/json\r\n\r\n{"name":"plan.txt","parents":["${folder}"],"description":"Mine"}\r\n--x\r\ncontent-type: text/plain\r\n\r\nwidgets\r\n--x--`,
    })
    const fields = 'id,name,parents,md5Checksum,size,mimeType,description'
    const copied = await get(`POST /files/${textAt(made, 'id')}/copy`, { query: { fields } })
    expect(copied).toEqual({
      ...{ id: copied['id'], name: 'Copy of plan.txt', parents: [folder], md5Checksum: made['md5Checksum'], size: '7' },
      ...{ mimeType: 'text/plain', description: 'Mine' },
    })
    await get(`DELETE /files/${textAt(made, 'id')}`)
    expect(await (await send(`GET /files/${textAt(copied, 'id')}`, { query: { alt: 'media' } })).text()).toBe('widgets')
    expect(await names("fullText contains 'widgets' and trashed = false")).toContain('Copy of plan.txt')
    const moved = await get(`POST /files/${textAt(copied, 'id')}/copy`, {
      query: { fields: 'name' },
      body: { name: 'Third', parents: ['root'] },
    })
    expect(moved).toEqual({ name: 'Third' })
  })

  it('keeps the properties of the source that the request does not change or clear', covers('copies/properties'), async () => {
    const { get } = connected()
    const own = { properties: { stage: 'draft', team: 'core' }, appProperties: { job: '7' } }
    const source = textAt(await get('POST /files', { body: { name: 'plan.txt', mimeType: 'text/plain', ...own } }), 'id')
    const query = { fields: 'properties,appProperties' }
    expect(await get(`POST /files/${source}/copy`, { query })).toEqual(own)
    const body = { properties: { stage: 'final', team: null }, appProperties: { job: null } }
    expect(await get(`POST /files/${source}/copy`, { query, body })).toEqual({ properties: { stage: 'final' } })
  })

  it('takes an id from generateIds once, and none for Google documents', covers('copies/ids'), async () => {
    const { get, refusal } = connected()
    const [id = ''] = stringsIn((await get('GET /files/generateIds', { query: { count: 1 } }))['ids'])
    const source = textAt(await get('POST /files', { body: { name: 'plan.txt', mimeType: 'text/plain' } }), 'id')
    expect(await get(`POST /files/${source}/copy`, { body: { id } })).toMatchObject({ id, name: 'Copy of plan.txt' })
    expect(await refusal(`POST /files/${source}/copy`, { body: { id } })).toEqual([409, 'fileIdInUse'])
    const document = textAt(await get('POST /files', { body: { name: 'Notes', mimeType: `${types}.document` } }), 'id')
    const [other] = stringsIn((await get('GET /files/generateIds', { query: { count: 1 } }))['ids'])
    expect(await refusal(`POST /files/${document}/copy`, { body: { id: other } })).toEqual([403, 'forbidden'])
  })

  it('refuses folders, shortcuts and protected files', covers('copies/folders'), async () => {
    const { refusal, one, get } = connected()
    expect(await refusal(`POST /files/${one('Photos').id}/copy`)).toEqual([403, 'cannotCopyFile'])
    const shortcut = await get('POST /files', {
      body: { name: 's', mimeType: `${types}.shortcut`, shortcutDetails: { targetId: one('Launch plan').id } },
    })
    expect(await refusal(`POST /files/${textAt(shortcut, 'id')}/copy`)).toEqual([403, 'cannotCopyFile'])
    expect(await refusal('POST /files/none/copy')).toEqual([404, 'notFound'])
  })
})

/** A document and a spreadsheet, and their exports. */
async function exporting() {
  const emulator = connected()
  const { get, send } = emulator
  const convert = async (name: string, to: string, text: string) => {
    const body = `--x\n\n{"name":"${name}","mimeType":"${types}.${to}"}\n--x\ncontent-type: text/plain\n\n${text}\n--x--`
    const headers = { 'content-type': 'multipart/related; boundary=x' }
    return textAt(await get('POST /upload/drive/v3/files', { query: { uploadType: 'multipart' }, headers, body }), 'id')
  }
  const document = await convert('Notes', 'document', '# Title\nWidgets & gears')
  const sheet = await convert('Prices', 'spreadsheet', 'name,price\n"wid, get",3')
  const exported = async (id: string, mimeType: string) =>
    Buffer.from(await (await send(`GET /files/${id}/export`, { query: { mimeType } })).arrayBuffer())
  return { ...emulator, convert, document, sheet, exported }
}

describe('exports', () => {
  it("writes Google's formats", covers('exports/formats', 'exports/text'), async () => {
    const { document, sheet, exported, convert, get } = await exporting()
    expect(String(await exported(document, 'text/plain'))).toBe('\uFEFF# Title\r\nWidgets & gears')
    expect(String(await exported(document, 'text/markdown'))).toBe('# Title\nWidgets & gears')
    expect(String(await exported(document, 'text/html'))).toContain('<p>Widgets &amp; gears</p>')
    expect((await exported(document, 'application/pdf')).subarray(0, 5).toString()).toBe('%PDF-')
    expect(String(await exported(document, 'application/rtf'))).toMatch(/^\{\\rtf1/)
    expect(String(await exported(sheet, 'text/csv'))).toBe('name,price\r\n"wid, get",3')
    expect(String(await exported(sheet, 'text/tab-separated-values'))).toBe('name\tprice\r\nwid, get\t3')
    const { exportFormats } = await get('GET /about', { query: { fields: 'exportFormats' } })
    expect(exportFormats).toMatchObject({ [`${types}.presentation`]: ['text/plain', 'application/pdf'], [`${types}.script`]: [] })
    const slides = await convert('Slides', 'presentation', 'One')
    expect(String(await exported(slides, 'text/plain'))).toContain('One')
  })

  it('writes packages that Python can read', covers('exports/formats'), async () => {
    const { document, sheet, exported } = await exporting()
    const read = (bytes: Buffer, part: string) => {
      using file = temporaryFile('package.zip', '')
      writeFileSync(file.file, bytes)
      const program =
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.read(sys.argv[2]).decode())'
      return execFileSync('python3', ['-c', program, file.file, part]).toString()
    }
    expect(read(await exported(document, `${office}.wordprocessingml.document`), 'word/document.xml')).toContain('Widgets &amp; gears')
    const workbook = read(await exported(sheet, `${office}.spreadsheetml.sheet`), 'xl/worksheets/sheet1.xml')
    expect(workbook).toContain('<t xml:space="preserve">wid, get</t></is></c><c><v>3</v></c>')
  })

  it('refuses what cannot be exported', covers('exports/refusals', 'exports/absent-formats'), async () => {
    const { document, refusal, one, convert } = await exporting()
    const refused = (id: string, mimeType: string) => refusal(`GET /files/${id}/export`, { query: { mimeType } })
    expect(await refused(document, 'image/gif')).toEqual([400, 'badRequest'])
    expect(await refused(document, 'application/epub+zip')).toEqual([501, 'notImplemented'])
    expect(await refusal(`GET /files/${document}/export`)).toEqual([400, 'required'])
    expect(await refused(one('Photos').id, 'text/plain')).toEqual([403, 'fileNotExportable'])
    const long = await convert('Long', 'document', 'x'.repeat(10_500_000))
    expect(await refused(long, 'text/plain')).toEqual([403, 'exportSizeLimitExceeded'])
  })
})
