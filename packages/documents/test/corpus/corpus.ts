import { globSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { deflateSync, crc32 } from 'node:zlib'
import type { Refusal } from '../../src/index.ts'
import { shareOf } from '../../../testing/src/runs.ts'
import { type Convert, csvCells, pdfToText, print, python } from './programs.ts'
import { type Language, page, rows, slides, table, written } from './words.ts'

const shares = 3
/** The first and the last, which is written from right to left, are always among them. */
const languages = shareOf(['english', 'german', 'russian', 'hebrew'] as const, shares, 0)

/** A document, and the text that an independent reader finds in it, or the reason why it has none. */
export interface Sample {
  readonly kind: string
  readonly file: string
  readonly expected: { readonly text: string } | { readonly refusal: Refusal }
}

const known = (kind: string, file: string, text: string): Sample => ({ kind, file, expected: { text } })
const none = (kind: string, file: string, refusal: Refusal): Sample => ({ kind, file, expected: { refusal } })

/** Texts and tables in their encodings; Python encodes them, and reads the tables. */
export async function textSamples(folder: string): Promise<Sample[]> {
  const encode = async (name: string, text: string, encoding: string) => {
    const [source, file] = [path.join(folder, `${name}.source`), path.join(folder, name)]
    await writeFile(source, text)
    await python(
      'import sys; open(sys.argv[2], "wb").write(open(sys.argv[1], encoding="utf-8", newline="").read().encode(sys.argv[3]))',
      source,
      file,
      encoding,
    )
    return file
  }
  const texts: readonly (readonly [Language, encoding: string])[] = [
    ['english', 'ascii'],
    ['german', 'cp1252'],
    ['french', 'utf-16'],
    ['arabic', 'utf-8-sig'],
    ['polish', 'cp1250'],
    ['russian', 'cp1251'],
    ['russian', 'koi8-r'],
    ['greek', 'cp1253'],
    ['japanese', 'shift_jis'],
    ['japanese', 'euc-jp'],
    ['chinese', 'gb18030'],
    ['korean', 'euc-kr'],
  ]
  const plain = texts.map(async ([language, encoding], seed) => {
    const text = written(language, seed)
    return known('txt', await encode(`${language}-${encoding}.txt`, text, encoding), text)
  })
  const tables = (['english', 'german', 'hebrew'] as const).flatMap((language, seed) => {
    const encoding = language === 'german' ? 'cp1252' : 'utf-8'
    const cells = rows(language, 300, seed)
    return [',', '\t'].map(async (delimiter) => {
      const kind = delimiter === ',' ? 'csv' : 'tsv'
      const file = await encode(`${language}.${kind}`, table(cells, delimiter), encoding)
      return known(kind, file, await csvCells(file, encoding, delimiter))
    })
  })
  const whole = [
    ...globSync('*.md'),
    ...globSync('*.json'),
    ...globSync('packages/documents/src/*.ts').slice(0, 3),
    ...globSync('docs/emulators/**/*.py').slice(0, 1),
  ]
  const kinds: Readonly<Record<string, string>> = { '.md': 'md', '.json': 'json' }
  const code = whole.map((file) => known(kinds[path.extname(file)] ?? 'code', path.resolve(file), readFileSync(file, 'utf8')))
  const pages = (['russian', 'hebrew'] as const).map(async (language, seed) => {
    const text = page(language, 3, seed)
    return known('html', await encode(`${language}.html`, text, 'utf-8'), text)
  })
  return [...(await Promise.all([...plain, ...tables, ...pages])), ...code]
}

const word = { filter: 'MS Word 2007 XML' }

/** Comma, quotation mark, UTF-8, from the first line; of all sheets. */
const csvOptions = '44,34,76,1,,0,false,true,false,false,false,-1'

/** Documents that LibreOffice writes, and reads in another way. */
export async function officeSamples(folder: string, convert: Convert): Promise<Sample[]> {
  const into = (name: string) => path.join(folder, name)
  const write = async (ending: string, make: (language: Language, seed: number) => string) =>
    Promise.all(
      languages.map(async (language, seed) => {
        await writeFile(into(`${language}.${ending}`), make(language, seed))
        return into(`${language}.${ending}`)
      }),
    )
  const all = async (files: readonly string[], read: (files: readonly string[], name: string) => Promise<readonly string[]>) => {
    const kind = path.extname(files[0] ?? '').slice(1)
    const found = await read(files, `${kind}-read`)
    return files.map((file, index) => known(kind, file, found[index] ?? ''))
  }
  const texts = async (files: readonly string[], name: string) =>
    Promise.all((await convert(files, 'txt', into(name), { filter: 'Text (encoded):UTF8' })).map(async (file) => readFile(file, 'utf8')))
  const cells = async (files: readonly string[], name: string) => {
    await convert(files, 'csv', into(name), { filter: `Text - txt - csv (StarCalc):${csvOptions}` })
    return Promise.all(
      files.map(async (file) => {
        const [written = ''] = globSync(path.join(into(name), `${path.parse(file).name}-*.csv`))
        return csvCells(written, 'utf-8')
      }),
    )
  }
  const shown = async (files: readonly string[], name: string) => Promise.all((await convert(files, 'pdf', into(name))).map(pdfToText))
  // A page cannot become OpenDocument at once: it would remain a page.
  const docx = await convert(await write('html', (language, seed) => page(language, 8, seed)), 'docx', into('docx'), word)
  const odt = await convert(docx, 'odt', into('odt'))
  const sheets = await write('csv', (language, seed) => table(rows(language, 200, seed)))
  const ods = await convert(sheets, 'ods', into('ods'), { infilter: 'CSV:44,34,76,1' })
  const xlsx = await convert(ods, 'xlsx', into('xlsx'))
  const odp = await convert(await write('fodp', (language, seed) => slides(language, 12, seed)), 'odp', into('odp'))
  const pptx = await convert(odp, 'pptx', into('pptx'))
  const cut = [docx, xlsx, odp].map(async ([file = '']) => {
    const broken = into(`cut-${path.basename(file)}`)
    await writeFile(broken, readFileSync(file).subarray(0, -400))
    return none(path.extname(file).slice(1), broken, 'broken')
  })
  return [
    ...(await all(odt, texts)),
    ...(await all(docx, texts)),
    ...(await all(ods, cells)),
    ...(await all(xlsx, cells)),
    ...(await all(odp, shown)),
    ...(await all(pptx, shown)),
    ...(await Promise.all(cut)),
  ]
}

/** A picture of noise, which a scan consists of. */
function picture(): Buffer {
  const size = 64
  const chunk = (type: string, data: Buffer) => {
    const [length, sum, body] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.concat([Buffer.from(type), data])]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 0, 0, 0, 0])
  const pixels = Buffer.from(Array.from({ length: size * (size + 1) }, (_, at) => (at % (size + 1) === 0 ? 0 : (at * 7919) % 256)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** PDFs by LibreOffice and Chromium, read by poppler. */
export async function pdfSamples(folder: string, convert: Convert): Promise<Sample[]> {
  const sources = await Promise.all(
    [...languages, 'arabic' as const, 'greek' as const].map(async (language, seed) => {
      const file = path.join(folder, `${language}.html`)
      await writeFile(file, page(language, 20, seed))
      return file
    }),
  )
  const docx = await convert(sources.slice(0, languages.length), 'docx', path.join(folder, 'docx'), word)
  const written = await convert(docx, 'pdf', path.join(folder, 'pdf'))
  const printed: string[] = []
  for (const source of shareOf(sources, shares, 1)) printed.push(await print(source, `${source}.pdf`))
  const password = '{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"secret"}}'
  const [encrypted = ''] = await convert(docx.slice(0, 1), 'pdf', path.join(folder, 'encrypted'), {
    filter: `writer_pdf_Export:${password}`,
  })
  const scan = path.join(folder, 'scan.png')
  await writeFile(scan, picture())
  const [scanned = ''] = await convert([scan], 'pdf', path.join(folder, 'scanned'))
  const broken = path.join(folder, 'broken.pdf')
  await writeFile(broken, readFileSync(written[0] ?? '').subarray(0, 200))
  const readable = await Promise.all([...written, ...printed].map(async (file) => known('pdf', file, await pdfToText(file))))
  return [...readable, none('pdf', encrypted, 'encrypted'), none('pdf', scanned, 'scanned'), none('pdf', broken, 'broken')]
}
