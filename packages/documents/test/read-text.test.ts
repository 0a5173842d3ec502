import { describe, expect, test } from 'vitest'
import { strToU8, zipSync } from 'fflate'
import { extract } from '../src/extract.ts'
import { maxDocumentBytes, readText } from '../src/index.ts'
import { Refused } from '../src/outcome.ts'

const never = new AbortController().signal

/** Text of a file, or the reason why it gives none; it is read in a thread, which takes a tenth of a second. */
async function readInThread(bytes: Uint8Array, name = '', mediaType = 'application/octet-stream'): Promise<string> {
  const reading = await readText(bytes, { name, mediaType }, never)
  return 'refusal' in reading ? reading.refusal : reading.text.slice(0, reading.text.length)
}

/** The same as it is found in the thread. */
async function read(bytes: Uint8Array, name = '', mediaType = 'application/octet-stream'): Promise<string> {
  try {
    return (await extract(bytes, { name, mediaType })).text
  } catch (error) {
    return error instanceof Refused ? error.refusal : 'broken'
  }
}

const zip = (parts: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
const relations = (...all: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships>${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`).join('')}</Relationships>`
const word = (body: string, more = {}) =>
  zip({
    '_rels/.rels': relations(['1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `<w:document>${body}</w:document>`,
    ...more,
  })

describe('text', () => {
  test.for([
    ['utf-8', Buffer.from('Größe 日本\n')],
    ['utf-8 with a mark', Buffer.from('\uFEFFGröße 日本\n')],
    ['utf-16le', Buffer.from('\uFEFFGröße 日本\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFGröße 日本\n', 'utf16le').swap16()],
    ['CRLF', Buffer.from('Größe 日本\r\n')],
  ] as const)('%s', async ([, bytes]) => {
    expect(await read(bytes)).toBe('Größe 日本\n')
  })

  test('UTF-16 without a mark', async () => {
    const text = 'The hut of the Lyngen alps\nhas 12 beds.\n'
    expect(await read(Buffer.from(text, 'utf16le'))).toBe(text)
    expect(await read(Buffer.from(text, 'utf16le').swap16())).toBe(text)
  })

  test('UTF-8 stays UTF-8 with a bad byte anywhere, or with its last character cut off', async () => {
    for (const text of [
      'Die Größe, die Länge und das Öl über Äckern',
      'Все люди рождаются',
      'すべての人間は生まれながらにして',
      'El niño soñó, ¿qué?',
    ])
      for (let at = 0; at <= text.length; at += 7) {
        const [before, after] = [text.slice(0, at), text.slice(at)]
        const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)])
        expect(await read(bytes)).toBe(`${before}\uFFFD${after}`)
      }
    expect(await read(Buffer.from('Größe 日本').subarray(0, -1))).toBe('Größe 日\uFFFD')
  })

  test.for([
    ['windows-1252', Buffer.from('Größe über alles, naïve façade', 'latin1'), 'Größe über alles, naïve façade'],
    ['one character at the end', Buffer.from('caf\u00e9', 'latin1'), 'café'],
    [
      'gb18030',
      Buffer.from(
        'c8cbc8cbc9fab6f8d7d4d3c9a3acd4dad7f0d1cfbacdc8a8c0fbc9cfd2bbc2c9c6bdb5c8a1a3cbfbc3c7b8b3d3d0c0edd0d4bacdc1bcd0c4a3acb2a2d3a6d2d4d0d6b5dcb9d8cfb5b5c4beabc9f1cfe0b6d4b4fda1a3',
        'hex',
      ),
      '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
    ],
  ] as const)('bytes of another encoding are no damaged UTF-8: %s', async ([, bytes, text]) => {
    expect(await read(bytes)).toBe(text)
  })

  test('an encoding that is declared counts before one that is guessed', async () => {
    const page = '<?xml version="1.0" encoding="iso-8859-2"?><a>'
    expect(await read(Buffer.concat([Buffer.from(page), Buffer.from([0xb1, 0xe6])]), 'a.xml')).toBe(`${page}ąć`)
    expect(await read(Buffer.from([0xb1, 0xe6]), 'a.txt', 'text/plain; charset=iso-8859-2')).toBe('ąć')
  })

  test('a text about PDFs is no PDF', async () => {
    const text = "const header = '%PDF-'\n"
    expect(await read(Buffer.from(text), 'header.ts', 'text/plain')).toBe(text)
    expect(await readInThread(Buffer.from(text), 'header.ts', 'text/plain')).toBe(text)
  })

  test('an encoding is one in which the text has no control characters', async () => {
    const text = 'Все люди рождаются свободными и равными'
    const bytes = Uint8Array.from(Array.from(text), (letter) => (letter === ' ' ? 32 : letter.charCodeAt(0) - 0x350))
    expect(await read(bytes)).toBe(text)
  })

  test('the colours of a terminal are text, and other control characters are not', async () => {
    expect(await read(Buffer.from('\u001B[31mred\u001B[0m\n'))).toBe('\u001B[31mred\u001B[0m\n')
    expect(await read(Buffer.from('\u0001\u0002\u0003abc'))).toBe('unknown')
  })
})

describe('refuses', () => {
  test.for([
    ['XML that is deep without end', () => word('<w:p>'.repeat(1_000)), 'too_large'],
    ['an office file that is cut off', () => word('<w:p><w:r><w:t>text</w:t></w:r></w:p>').slice(0, -30), 'broken'],
    ['XML that is cut off', () => word('', { 'word/document.xml': '<w:document><w:p><w:r><w:t>te' }), 'broken'],
    ['an archive of something else', () => zip({ 'a.txt': 'a' }), 'unknown'],
    ['a PDF that is damaged', () => Buffer.from('%PDF-1.7\nnothing'), 'broken'],
    ['Office before 2007', () => Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'old'],
    [
      'an encrypted office file',
      () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'encrypted',
    ],
    [
      'encrypted OpenDocument',
      () =>
        zip({
          mimetype: 'application/vnd.oasis.opendocument.text',
          'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>',
          'content.xml': 'x',
        }),
      'encrypted',
    ],
  ] as const)('%s', async ([, make, refusal]) => {
    expect(await read(make())).toBe(refusal)
  })

  test('a file that is too large, or damaged', async () => {
    expect(await readInThread(new Uint8Array(maxDocumentBytes + 1))).toBe('too_large')
    expect(await readInThread(word('<w:p><w:r><w:t>text</w:t></w:r></w:p>').slice(0, -30))).toBe('broken')
  })

  test('an archive that says less than it unpacks to', async () => {
    const honest = Buffer.from(word(`<w:t>${' '.repeat(100_000)}</w:t>`))
    const size = Buffer.alloc(4)
    size.writeUInt32LE(100_000 + '<w:document><w:t></w:t></w:document>'.length)
    for (let at = honest.indexOf(size); at !== -1; at = honest.indexOf(size, at + 1)) honest.writeUInt32LE(10, at)
    expect(await read(honest)).toBe('broken')
  })

  test('an entity that stands for more than itself', async () => {
    const text = '<!DOCTYPE a [<!ENTITY b "bbbb">]><w:document><w:p><w:r><w:t>&b;&amp;</w:t></w:r></w:p></w:document>'
    expect(await read(word('', { 'word/document.xml': text }))).toBe('&b;&\n')
  })

  test('a sheet that repeats a cell without end', async () => {
    const cell = '<table:table-cell table:number-columns-repeated="90000"><text:p>repeated text</text:p></table:table-cell>'
    const content = `<office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="90000">${cell}</table:table-row></table:table></office:spreadsheet>`
    expect(await read(zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content }))).toBe('too_large')
  })
})

test('a caller who gives up ends the thread, and the next file is read', async () => {
  const controller = new AbortController()
  const reading = readText(word('<w:p/>'), { name: '', mediaType: '' }, controller.signal)
  controller.abort(new Error('given up'))
  await expect(reading).rejects.toThrow('given up')
  expect(await readInThread(Buffer.from('next'))).toBe('next')
})

test('a document keeps what is shown of it, and no more', async () => {
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
  const body = [
    `<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>${run('Title')}</w:p>`,
    `<w:p><w:pPr><w:numPr/></w:pPr>${run('one ')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>${run('two')}</w:p>`,
    `<w:p><w:moveFrom>${run('moved')}</w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:tab/></w:r>${run('&lt;x&gt;')}</w:p>`,
    `<w:tbl><w:tr><w:tc><w:p>${run('a')}</w:p><w:p>${run('b')}</w:p></w:tc><w:tc><w:p>${run('c')}</w:p></w:tc></w:tr></w:tbl>`,
    `<w:p><mc:AlternateContent><mc:Choice>${run('shape')}</mc:Choice><mc:Fallback>${run('shape')}</mc:Fallback></mc:AlternateContent></w:p>`,
  ].join('')
  expect((await read(word(body))).split('\n').map((line) => line.trim())).toEqual(['## Title', '- one two', '<x>', 'a b \tc', 'shape', ''])
})

test('a workbook keeps places, dates and texts in all their forms', async () => {
  const sheet = [
    '<row r="2"><c r="B2" t="s"><v>1</v></c><c r="D2" s="1"><v>46000.5</v></c></row>',
    '<row><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c t="b"><v>1</v></c><c t="str"><f>A1</f><v>a "b", c</v></c></row>',
    '<row/><row><c s="1"><v>46000</v></c><c t="e"><v>#N/A</v></c><c><v>1.5</v></c></row>',
  ].join('')
  const workbook = zip({
    '_rels/.rels': relations(['1', 'officeDocument', '/xl/workbook.xml']),
    'xl/workbook.xml': '<x:workbook><x:sheets><x:sheet name="Sums" r:id="s"/><x:sheet name="None" r:id="n"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels': relations(
      ['s', 'worksheet', 'worksheets/a.xml'],
      ['t', 'sharedStrings', 'strings.xml'],
      ['y', 'styles', 'styles.xml'],
    ),
    'xl/strings.xml': '<sst><si><t>no</t></si><si><r><t>sha</t></r><r><t>red</t></r><rPh><t>reading</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]dd/mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
    'xl/worksheets/a.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  })
  expect(await read(workbook)).toBe('[sheet Sums]\n,shared,,2025-12-09 12:00:00\ninline,TRUE,"a ""b"", c"\n2025-12-09,#N/A,1.5\n\n')
})
